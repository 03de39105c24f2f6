import { expect, test } from 'vitest'
import { createInstance } from '../instance.ts'
import { readOptions } from './read-options.ts'
import { isVirtual } from '../state/clock.ts'
import { LATENCY_PROFILES } from '../state/latency.ts'

test('texts of flags and values of a file give the same options', () => {
  const asText = readOptions([
    ['port', '8099'],
    ['seed', '7'],
    ['answerTokens', '12'],
    ['latency', 'typical'],
    ['decisions', 'most-n=4,error-body=text'],
  ])
  expect(asText).toEqual({
    port: 8099,
    seed: 7,
    answerTokens: 12,
    latency: LATENCY_PROFILES.typical,
    decisions: { 'most-n': 4, 'error-body': 'text' },
  })
  const asJson = readOptions([
    ['port', 8099],
    ['seed', 7],
    ['answerTokens', 12],
    ['latency', 'typical'],
    ['decisions', { 'most-n': 4, 'error-body': 'text' }],
  ])
  expect(asJson).toEqual(asText)
})

test('a later value is on top of an earlier one, decision by decision', () => {
  const options = readOptions([
    ['seed', 1],
    ['decisions', { 'most-n': 4, 'error-body': 'text' }],
    ['seed', 2],
    ['decisions', ['most-n=5']],
  ])
  expect(options).toEqual({ seed: 2, decisions: { 'most-n': 5, 'error-body': 'text' } })
})

test.each([
  ['frozen:1000', 'virtual:2000', { isVirtual: true, unixSeconds: 2000 }],
  ['virtual:2000', 'frozen:1000', { isVirtual: false, unixSeconds: 1000 }],
  ['frozen:1000', 'frozen:2000', { isVirtual: false, unixSeconds: 2000 }],
])('a clock takes the place of another kind: %s, then %s', (earlier, later, expected) => {
  const values = [earlier, later].map((clock) => ['clock', clock] as const)
  expect(clockOf(values)).toEqual(expected)
})

test('the real clock takes the place of another, too', () => {
  for (const earlier of ['frozen:1000', 'virtual:2000']) {
    const { isVirtual, unixSeconds } = clockOf([
      ['clock', earlier],
      ['clock', 'real'],
    ])
    expect(isVirtual).toBe(false)
    expect(unixSeconds).toBeGreaterThan(1_750_000_000)
  }
})

/** The clock of an emulator with these settings. */
function clockOf(values: readonly (readonly [string, unknown])[]): { isVirtual: boolean; unixSeconds: number } {
  const options = readOptions(values)
  if (typeof options === 'string') throw new Error(options)
  const { clock } = createInstance(options)
  return { isVirtual: isVirtual(clock), unixSeconds: clock.unixSeconds() }
}

test.each([
  ['speed', 1, "no setting 'speed'"],
  ['port', '99999', 'an integer from 0 to 65535'],
  ['port', 1.5, 'an integer'],
  ['seed', '-1', 'an integer'],
  ['host', '', 'a host name'],
  ['answerTokens', '0', 'natural, fill or a number'],
  ['latency', 'ttft=5', 'ttft=20ms'],
  ['publicUrl', 'ftp://x', 'an http or https URL'],
  ['clock', 'frozen:soon', 'frozen:<Unix seconds>'],
  ['clock', 'virtual:', 'virtual:<Unix seconds>'],
  ['journal', 'entries=many', "'entries' must be an integer"],
  ['journal', { pages: 1 }, 'entries=1000,bytes=1000000'],
  ['decisions', 'colour=red', "no decision 'colour'"],
])('%s = %j is refused in a sentence that says what would be right', (name, value, sentence) => {
  expect(readOptions([[name, value]])).toContain(sentence)
})
