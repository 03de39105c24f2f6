import { describe, expect, test } from 'vitest'
import { MODELS } from '../../contract/facts.ts'
import { parseHeaders, parseSettings } from './parse-settings.ts'

const TARGET = { TOUCHSTONE_TARGET: 'http://127.0.0.1:8080' }

describe('settings in the environment', () => {
  test('settings require only a target: the default is smoke with the cheapest model', () => {
    const { target, arrivals, iterations, models } = parseSettings(TARGET)
    expect([target, arrivals, iterations]).toEqual(['http://127.0.0.1:8080', 'closed', 24])
    const cheapest = Math.min(...MODELS.map(({ creditsPerToken }) => Number(creditsPerToken)))
    expect(Number(MODELS.find(({ id }) => id === models.chat)?.creditsPerToken)).toBe(cheapest)
  })

  test('settings have separate variables for the profile and its size', () => {
    const settings = parseSettings({
      ...TARGET,
      TOUCHSTONE_PROFILE: 'spike',
      TOUCHSTONE_RATE: '80',
      TOUCHSTONE_DURATION_S: '6',
      TOUCHSTONE_VUS: '12',
    })
    expect(Math.max(...settings.stages.map(({ to }) => to))).toBe(80)
    expect([settings.arrivals, settings.vus]).toEqual(['constant', 12])
  })

  test.each(['2030-01-01T12:00:00Z', '1893499200'])('settings take the start of the plan from %s', (text) => {
    const environment = { ...TARGET, TOUCHSTONE_PROFILE: 'average', TOUCHSTONE_RATE: '5', TOUCHSTONE_START_AT: text }
    expect(parseSettings(environment).extension).toEqual({ startAtUnixMs: Date.UTC(2030, 0, 1, 12) })
  })

  test('accepts any other setting as JSON, and keeps the remaining ones', () => {
    const settings = parseSettings({ ...TARGET, TOUCHSTONE_LOAD: '{"maxTokens": 5, "models": {"chat": "o3-mini"}}' })
    expect([settings.maxTokens, settings.models.chat]).toEqual([5, 'o3-mini'])
    expect(settings.models.speech).toBe(parseSettings(TARGET).models.speech)
  })
})

test('a closed loop with stages ends with its stages, and ignores a number of iterations', () => {
  const stages = [{ durationS: 60, from: 4, to: 4 }]
  const settings = parseSettings({ ...TARGET, TOUCHSTONE_LOAD: JSON.stringify({ arrivals: 'closed', vus: 4, stages }) })
  expect(settings).toMatchObject({ stages, vus: 4 })
  expect(settings).not.toHaveProperty('iterations')
})

test.each(['http://h:1/', 'http://h:1/v1', 'http://h:1/v1/'])('shortens the target %s to http://h:1', (given) => {
  expect(parseSettings({ TOUCHSTONE_TARGET: given }).target).toBe('http://h:1')
})

test.each([
  [
    'a missing target',
    {},
    'TOUCHSTONE_TARGET must be the URL of a service, such as http://127.0.0.1:8080, and it is not set.',
  ],
  ['an unknown profile', { ...TARGET, TOUCHSTONE_PROFILE: 'toString' }, 'TOUCHSTONE_PROFILE must be one of smoke,'],
  ['a rate of 0', { ...TARGET, TOUCHSTONE_RATE: '0' }, 'TOUCHSTONE_RATE must be a number above 0, not 0.'],
  [
    'a fraction of a VU',
    { ...TARGET, TOUCHSTONE_VUS: '1.5' },
    'The setting vus must be a whole number of at least 1, not 1.5.',
  ],
  [
    'a start time of a closed loop',
    { ...TARGET, TOUCHSTONE_START_AT: '1893499200' },
    'TOUCHSTONE_START_AT needs planned arrivals: set TOUCHSTONE_RATE, or omit it.',
  ],
  ['a list instead of an object', { ...TARGET, TOUCHSTONE_LOAD: '[1]' }, 'TOUCHSTONE_LOAD is not a JSON object'],
  ['a trace without a file', { ...TARGET, TOUCHSTONE_LOAD: '{"arrivals": "trace"}' }, 'need the setting tracePath'],
  [
    'an unknown operation',
    { ...TARGET, TOUCHSTONE_LOAD: '{"weights": {"chats": 1}}' },
    'The setting weights contains chats: 1',
  ],
])('rejects %s in one sentence', (_, environment, sentence) => {
  expect(() => parseSettings(environment)).toThrow(sentence)
})

test('parses the headers that the user adds', () => {
  expect(parseHeaders('{"x-tenant":"blue"}')).toEqual({ 'x-tenant': 'blue' })
  expect(parseHeaders(undefined)).toEqual({})
})

test.each(['x-tenant: blue', '["x-tenant"]', '{"x-tenant":1}', 'null'])('rejects %s as headers', (text) => {
  expect(() => parseHeaders(text)).toThrow('TOUCHSTONE_HEADERS is not a JSON object of strings')
})
