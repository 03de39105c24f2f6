import { expect, test } from 'vitest'
import { createEmulator } from '../create-emulator.ts'
import { InvalidOptionError } from './invalid-option-error.ts'
import { startEmulator } from '../start-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { resolveOptions } from './resolve-options.ts'
import { createFixedDelay, LATENCY_PROFILES } from '../state/latency.ts'

/** Passes a value of any type as options, as untyped JavaScript can. */
function castOptions(options: unknown): object {
  return options as object // The cast is deliberately wrong: the test passes an invalid type.
}

const circular: { self?: unknown } = {}
circular.self = circular

test.each([
  [{ latency: 'text' }, "no latency profile 'text'"],
  [{ latency: { ...LATENCY_PROFILES.instant, total: {} } }, 'Invalid latency'],
  [
    { latency: { ...LATENCY_PROFILES.instant, chat: { ttft: createFixedDelay(NaN), itl: createFixedDelay(0) } } },
    'Invalid latency',
  ],
  [
    {
      latency: { ...LATENCY_PROFILES.instant, chat: { ttft: { p50Ms: 0, p99Ms: 5 }, itl: createFixedDelay(0) } },
    },
    'Invalid latency',
  ],
  [{ latency: { ...LATENCY_PROFILES.instant, byModel: { 'o3-mini': 5 } } }, 'Invalid latency'],
  [{ clock: { nowMs: () => 0 } }, 'It must be real'],
  [{ clock: circular }, 'Invalid clock: object.'],
  [{ seed: 7n }, 'Invalid seed: bigint.'],
  [{ answerTokens: -1 }, 'It must be natural, fill or a number'],
  [{ options: { 'most-n': 'x' } }, "'most-n' must be an integer"],
  [{ limitedRate: { requestsPerMinute: -1 } }, '"requestsPerMinute" must be'],
  [{ fixtures: 5 }, 'It must be the path'],
  [{ frozenAtUnixSeconds: 1.5 }, 'Invalid frozenAtUnixSeconds: 1.5. It must be an integer'],
  [{ drainLimitMs: Infinity }, 'Invalid drainLimitMs: Infinity. It must be an integer'],
  [{ sead: 7 }, 'sead is unknown'],
  [null, 'must be an object'],
  ['typical', 'must be an object'],
])('rejects invalid options: %o', (options, sentence) => {
  expect(() => resolveOptions(castOptions(options))).toThrow(InvalidOptionError)
  expect(() => resolveOptions(castOptions(options))).toThrow(sentence)
})

test('ignores undefined options', () => {
  expect(resolveOptions(castOptions({ latency: undefined, seed: 7 }))).toEqual({ seed: 7 })
})

test('rejects invalid options in both package entries', async () => {
  expect(() => createEmulator(castOptions({ latency: 'text' }))).toThrow(InvalidOptionError)
  await expect(startEmulator(castOptions({ latency: 'text' }))).rejects.toThrow(InvalidOptionError)
})

test('accepts values that only programs can pass, and parses others as in a config file', () => {
  const given = {
    latency: {
      ...LATENCY_PROFILES.slow,
      byModel: { 'o3-mini': { ttft: createFixedDelay(1), itl: createFixedDelay(2) } },
    },
    clock: createVirtualClock(),
    fixtures: [{ text: 'Hi!' }],
    faults: ['times=2,status=500'],
    frozenAtUnixSeconds: 1_750_000_000,
    drainLimitMs: 0,
    requestLog: { bodies: 10 },
    port: 0,
  }
  expect(resolveOptions(given)).toEqual(given)
  expect(resolveOptions(castOptions({ latency: 'typical', seed: '7' }))).toEqual({
    latency: LATENCY_PROFILES.typical,
    seed: 7,
  })
})
