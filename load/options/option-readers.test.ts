import { describe, expect, test } from 'vitest'
import { OPTION_DEFAULTS } from '../../scenarios/lib/option-values.ts'
import { applyDefaults, indexHeaders, selectModels } from './load-options.ts'
import { OPTION_READERS } from './option-readers.ts'

describe('option readers', () => {
  test('option readers accept valid values', () => {
    expect(OPTION_READERS.segment('2/4')).toEqual({ index: 1, count: 4 })
    expect(OPTION_READERS.instant('1.5')).toBe(1500)
    expect(OPTION_READERS.instant('1970-01-01T00:00:02Z')).toBe(2000)
    expect(OPTION_READERS.weights('chat-stream=3, images=0.5')).toEqual({ 'chat-stream': 3, images: 0.5 })
    expect(OPTION_READERS.limit('60/1m,burst=5,obey')).toEqual({ requests: 60, windowS: 60, burst: 5, obey: true })
    expect(OPTION_READERS.model('images=a')).toEqual({ operation: 'images', model: 'a' })
    expect(OPTION_READERS.header('X-Tenant:  blue: green ')).toEqual({ name: 'X-Tenant', value: 'blue: green' })
    expect(OPTION_READERS.model('b')).toEqual({ operation: null, model: 'b' })
    expect(OPTION_READERS.model('chat=a=b')).toEqual({ operation: 'chat', model: 'a=b' })
  })

  test.each([
    ['segment', '5/4'],
    ['segment', '0/4'],
    ['instant', 'noon'],
    ['weights', 'chat=0'],
    ['weights', 'chats=1'],
    ['limit', '60'],
    ['limit', '60/0s'],
    ['model', 'audio=a'],
    ['model', 'chat='],
    ['body', `{"tools":${'['.repeat(512)}${']'.repeat(512)}}`],
    ['header', 'x-tenant'],
    ['header', 'x tenant: blue'],
    ['header', 'x-tenant: grün'],
    ['header', 'Authorization: Bearer x'],
    ['header', 'accept-encoding: gzip'],
  ] as const)('rejects the %s %s', (type, text) => {
    expect(() => OPTION_READERS[type](text)).toThrow(/^It must be /)
  })
})

test.each(['meta-llama/Llama-3.1-8B', 'qwen2.5:0.5b', 'a,b', 'my model'])('reads the model %s', (model) => {
  expect(OPTION_READERS.model(model)).toEqual({ operation: null, model })
  expect(OPTION_READERS.model(`speech=${model}`)).toEqual({ operation: 'speech', model })
})

describe('load options', () => {
  test('load options have the defaults of the table, and treat an empty key as absent', () => {
    expect(applyDefaults({ key: '', k6: '' })).toEqual({ ...OPTION_DEFAULTS, credits: true, k6Options: [] })
    expect(OPTION_DEFAULTS).toMatchObject({ seed: 1, maxTokens: 64, calibration: true, models: [], budgets: [] })
  })

  test('a model for one operation has precedence over a model for all operations, in any order', () => {
    const models = ['images=b', 'a'].map(OPTION_READERS.model)
    const expected = { chat: 'a', images: 'b', transcriptions: 'a', speech: 'a' }
    expect(selectModels({ models })).toEqual(expected)
    expect(selectModels({ models: models.toReversed() })).toEqual(expected)
  })
})

test('uses the last value of a header that is given several times, regardless of letter case', () => {
  const headers = [
    { name: 'x-tenant', value: 'blue' },
    { name: 'X-Tenant', value: 'green' },
  ]
  expect(indexHeaders(headers)).toEqual({ 'x-tenant': 'green' })
})
