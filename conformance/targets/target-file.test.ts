import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseTargetFile } from './parse-target-file.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'

const environment = {
  FUNDED: 'sk-svc-a',
  POOR: 'sk-svc-b',
  SLOW: 'sk-svc-c',
  SMALL: 'sk-svc-d',
  OLD: 'sk-svc-e',
  TOKEN: 'secret',
}

/** A target file that contains every supported field. */
const FULL = {
  $schema: './target.schema.json',
  url: 'http://127.0.0.1:1',
  baseUrl: 'https://api.example.com',
  keys: { funded: 'FUNDED', 'no-credits': 'POOR', limited: 'SLOW', small: 'SMALL', revoked: 'OLD' },
  headers: { 'x-tenant': 'blue', 'x-token': { env: 'TOKEN' } },
  operations: { chat: true, images: false },
  credits: false,
  rateLimit: false,
  models: { chat: 'a', images: 'b', transcriptions: 'c', speech: 'd' },
  declares: { '4/wrong-method-chat': { rejected: 405 } },
  differences: { validationErrors: { value: 422, why: 'the framework' } },
  policies: { 'gateway/cache': { 'identical request': 'forwarded' } },
  qualityParameter: 'quality',
  vision: { model: 'vendorc-4o', content: [{ type: 'text', text: 'Hello' }] },
  balance: { path: '/balance', pointer: '/credits' },
  aliases: { a: 'a-2024-08-06' },
  smallBalance: 0.5,
  smallChats: 2,
  limits: { limitedBurst: 30, requestsPerMinute: 600 },
  budgets: ['chat.total.p50<=1s'],
  samples: 12,
  acceptedNotTestable: [{ id: '7/recovery', reason: 'the limit is per day' }],
  knownFailures: [{ id: '4.2/temperature-above', reason: 'is clamped' }],
}

const read = (file: unknown, keys = {}) =>
  parseTargetFile(JSON.stringify(file), { name: 'gateway.json', environment, keys })

describe('reading a target file', () => {
  test('ignores a byte order mark', () => {
    const text = `\uFEFF${JSON.stringify({ url: FULL.url })}`
    expect(parseTargetFile(text, { name: 'gateway.json', environment, keys: {} })).toMatchObject({ url: FULL.url })
  })

  test('reads every field of the schema of target files', () => {
    const schema: unknown = JSON.parse(readFileSync(new URL('target.schema.json', import.meta.url), 'utf8'))
    expect(Object.keys(FULL)).toEqual(Object.keys(Object(schema).properties))
    expect(read(FULL)).toEqual({
      url: FULL.url,
      baseUrl: FULL.baseUrl,
      keys: { funded: 'sk-svc-a', noCredits: 'sk-svc-b', limited: 'sk-svc-c', small: 'sk-svc-d', revoked: 'sk-svc-e' },
      keyVariables: { funded: 'FUNDED', noCredits: 'POOR', limited: 'SLOW', small: 'SMALL', revoked: 'OLD' },
      headers: ['x-tenant: blue', 'x-token: secret'],
      secretHeaders: ['x-token'],
      without: ['images', 'credits', 'rate-limit'],
      models: FULL.models,
      declares: FULL.declares,
      policies: FULL.policies,
      differences: FULL.differences,
      declarations: {
        qualityParameter: 'quality',
        vision: FULL.vision,
        balance: FULL.balance,
        aliases: FULL.aliases,
        smallBalance: 0.5,
        smallChats: 2,
      },
      limitedBurst: 30,
      requestsPerMinute: 600,
      budgets: FULL.budgets,
      samples: 12,
      acceptedNotTestable: FULL.acceptedNotTestable,
      knownFailures: FULL.knownFailures,
    })
  })

  test('reads models that replace those of the specification', () => {
    const models = ['a', { id: 'b', price: 0.5, operations: ['chat', 'images'] }]
    expect(read({ models }).models).toEqual(models)
  })

  test('accepts an empty object as a target file', () => {
    expect(read({})).toEqual({ keys: {}, headers: [], declarations: {} })
  })

  test('does not require the environment variable of a key from the command line', () => {
    expect(read({ keys: { funded: 'NOT_SET' } }, { funded: 'sk-svc-z' }).keys).toEqual({})
  })

  test('prefers the variable of a key to a general key, which replaces only a variable that is not set', () => {
    const generalKeys = { funded: 'sk-svc-general', noCredits: 'sk-svc-general-poor' }
    const text = JSON.stringify({ keys: { funded: 'FUNDED', 'no-credits': 'NOT_SET' } })
    expect(parseTargetFile(text, { name: 'gateway.json', environment, generalKeys }).keys).toEqual({
      funded: 'sk-svc-a',
    })
    const byFlag = parseTargetFile(text, { name: 'gateway.json', environment, generalKeys, keys: generalKeys })
    expect(byFlag.keys).toEqual({})
    expect(byFlag.keyVariables).toBeUndefined()
  })
})

const KEY = 'sk-svc-0123456789'

test.each([
  ['an unknown field', { urll: 'x' }, 'gateway.json: line 1: the field urll is unknown. The fields are $schema, url,'],
  [
    'an unknown nested field',
    { limits: { burst: 3 } },
    'the field limits.burst is unknown. The fields of limits are limitedBurst,',
  ],
  ['a wrong type', { samples: '12' }, 'gateway.json: line 1: samples must be a whole number.'],
  ['an empty list of models', { models: [] }, 'models must not be empty.'],
  ['a repeated model', { models: ['a', { id: 'a' }] }, 'gateway.json: models lists a twice: remove one entry.'],
  ['a model without an id', { models: [{ price: 1 }] }, 'models[0].id is missing.'],
  ['a negative price', { models: [{ id: 'a', price: -1 }] }, 'models[0].price must be at least 0.'],
  [
    'an unknown operation of a model',
    { models: [{ id: 'a', operations: ['chats'] }] },
    'models[0].operations[0] must be chat, images, transcriptions or speech.',
  ],
  [
    'a declared operation that is not a boolean',
    { operations: { chat: 'yes' } },
    'operations.chat must be true or false.',
  ],
  ['an unknown operation', { operations: { chats: false } }, 'the field operations.chats is unknown.'],
  ['a fraction instead of a whole number', { samples: 1.5 }, 'samples must be a whole number.'],
  ['a burst of 0', { limits: { limitedBurst: 0 } }, 'limits.limitedBurst must be at least 1.'],
  ['a negative share', { limits: { maxFlakes: -1 } }, 'limits.maxFlakes must be at least 0.'],
  ['a balance of zero', { smallBalance: 0 }, 'smallBalance must be more than 0.'],
  ['an array', [], 'gateway.json: line 1: the file must be an object.'],
  [
    'a known failure without a reason',
    { knownFailures: ['4.2/model-missing'] },
    'knownFailures[0] must be an object with the fields id and reason.',
  ],
  ['null', { keys: null }, 'keys must be an object.'],
  ['an empty string', { url: '' }, 'url must not be empty.'],
  ['a missing reason', { knownFailures: [{ id: '5/x' }] }, 'knownFailures[0].reason is missing.'],
  ['empty content', { vision: { model: 'm', content: [] } }, 'vision.content must not be empty.'],
  [
    'an environment variable that is not set',
    { keys: { funded: 'NOWHERE' } },
    'keys.funded refers to the environment variable NOWHERE, which is not set',
  ],
  [
    'a key instead of the name of a variable',
    { keys: { funded: KEY } },
    'keys.funded must be the name of an environment variable, never a key itself.',
  ],
  [
    'a key without dashes',
    { keys: { funded: 'a0123456789' } },
    'keys.funded refers to the environment variable, which is not set',
  ],
  ['a key as a field name', { keys: { [`${KEY}${KEY}${KEY}`]: 'X' } }, 'is unknown. The fields of keys are'],
  ['a key in a header', { headers: { 'x-key': KEY } }, 'headers.x-key contains a key'],
  [
    'a header from an environment variable that is not set',
    { headers: { 'x-key': { env: 'NOWHERE' } } },
    'headers.x-key refers to the environment variable NOWHERE',
  ],
])('rejects %s, without showing a value', (_name, file, sentence) => {
  let message = ''
  try {
    read(file)
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidOptionError)
    message = String(error)
  }
  expect(message).toContain(sentence)
  expect(message).not.toContain('0123456789')
})

test('names the line of an invalid field', () => {
  const file = { url: 'http://127.0.0.1:1', differences: { validationErrors: { value: 422 } } }
  const read = () => parseTargetFile(JSON.stringify(file, null, 2), { name: 'gateway.json', environment })
  expect(read).toThrow('gateway.json: line 4: differences.validationErrors.why is missing.')
})

test('reports the position of a syntax error without quoting the file', () => {
  const text = `{\n  "keys": { "funded": ${KEY} }\n}`
  const act = () => parseTargetFile(text, { name: 'gateway.json', environment })
  expect(act).toThrow(
    /^gateway\.json: this is not valid JSON, (from line 2 column \d+ on|or is nested more than 512 deep)\.$/,
  )
})

test('rejects a file that is nested too deeply for the functions that read it', () => {
  const act = () => parseTargetFile('['.repeat(513) + ']'.repeat(513), { name: 'gateway.json', environment })
  expect(act).toThrow('gateway.json: this is not valid JSON, or is nested more than 512 deep.')
})
