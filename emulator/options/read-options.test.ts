import { expect, test } from 'vitest'
import { createInstance } from '../instance.ts'
import { InvalidOptionError } from './invalid-option-error.ts'
import { readOptions } from './read-options.ts'
import { isVirtualClock } from '../state/clock.ts'
import { LATENCY_PROFILES } from '../state/latency.ts'

test('parses the text of a flag and the value of a config file to the same option', () => {
  const asText = readOptions([
    ['port', '8099'],
    ['seed', '7'],
    ['answerTokens', '12'],
    ['latency', 'typical'],
    ['options', 'most-n=4,error-body=text'],
    ['extensions', 'responses, embeddings'],
  ])
  expect(asText).toEqual({
    port: 8099,
    seed: 7,
    answerTokens: 12,
    latency: LATENCY_PROFILES.typical,
    options: { 'most-n': 4, 'error-body': 'text' },
    extensions: ['responses', 'embeddings'],
  })
  const asJson = readOptions([
    ['port', 8099],
    ['seed', 7],
    ['answerTokens', 12],
    ['latency', 'typical'],
    ['options', { 'most-n': 4, 'error-body': 'text' }],
    ['extensions', ['responses', 'embeddings']],
  ])
  expect(asJson).toEqual(asText)
})

test('replaces an option by its last value, but merges options for unspecified behaviour by ID', () => {
  const options = readOptions([
    ['seed', 1],
    ['options', { 'most-n': 4, 'error-body': 'text' }],
    ['seed', 2],
    ['options', ['most-n=5']],
  ])
  expect(options).toEqual({ seed: 2, options: { 'most-n': 5, 'error-body': 'text' } })
})

test.each([
  ['frozen:1000', 'virtual:2000', { isVirtual: true, unixSeconds: 2000 }],
  ['virtual:2000', 'frozen:1000', { isVirtual: false, unixSeconds: 1000 }],
  ['frozen:1000', 'frozen:2000', { isVirtual: false, unixSeconds: 2000 }],
])('replaces a clock of one kind by another: %s, then %s', (earlier, later, expected) => {
  const values = [earlier, later].map((clock) => ['clock', clock] as const)
  expect(clockOf(values)).toEqual(expected)
})

test('replaces a frozen or virtual clock with a later real clock', () => {
  for (const earlier of ['frozen:1000', 'virtual:2000']) {
    const { isVirtual, unixSeconds } = clockOf([
      ['clock', earlier],
      ['clock', 'real'],
    ])
    expect(isVirtual).toBe(false)
    expect(unixSeconds).toBeGreaterThan(1_750_000_000)
  }
})

/** Returns the kind and the start time of the clock that the options create. */
function clockOf(values: readonly (readonly [string, unknown])[]): { isVirtual: boolean; unixSeconds: number } {
  const { clock } = createInstance(readOptions(values))
  return { isVirtual: isVirtualClock(clock), unixSeconds: clock.unixSeconds() }
}

test.each([
  ['speed', 1, 'speed is unknown'],
  ['extensions', 'assistants', 'Use responses, embeddings, or both.'],
  ['port', '99999', 'an integer from 0 to 65535'],
  ['port', 1.5, 'an integer'],
  ['seed', '-1', 'an integer'],
  ['host', '', 'a host name'],
  ['answerTokens', '0', 'natural, fill or a number'],
  ['latency', 'ttft=5', 'ttft=20ms'],
  ['publicUrl', 'ftp://x', 'an http or https URL'],
  ['clock', 'frozen:soon', 'frozen:<Unix seconds>'],
  ['clock', 'virtual:', 'virtual:<Unix seconds>'],
  ['requestLog', 'entries=many', "'entries' must be an integer"],
  ['requestLog', { pages: 1 }, 'entries=1000,bytes=1000000'],
  ['options', 'colour=red', "no option 'colour'"],
])('rejects the option %s with the value %j', (name, value, sentence) => {
  expect(() => readOptions([[name, value]])).toThrow(InvalidOptionError)
  expect(() => readOptions([[name, value]])).toThrow(sentence)
})

test('throws an error with machine-readable params for an invalid option', () => {
  const paramsOf = (name: string, value: unknown): unknown => {
    try {
      return readOptions([[name, value]])
    } catch (error) {
      return error instanceof InvalidOptionError ? { code: error.code, ...error.params } : error
    }
  }
  expect(paramsOf('port', '99999')).toEqual({
    code: 'TST_ERR_INVALID_OPTION',
    reason: 'invalid-value',
    option: 'port',
    value: '"99999"',
    expected: 'It must be an integer from 0 to 65535.',
  })
  expect(paramsOf('speed', 1)).toMatchObject({ reason: 'unknown-option', option: 'speed' })
  expect(paramsOf('controlToken', 'secret')).not.toHaveProperty('value')
})
