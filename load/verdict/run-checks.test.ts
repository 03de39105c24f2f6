import { expect, test } from 'vitest'
import { CREDIT_DRAIN_CHECKS } from '../../scenarios/lib/predict-drain.ts'
import { createHistogram, encodeHistogram } from '../metrics/histogram.ts'
import { buildMeasurements } from '../metrics/measurements.ts'
import { createOperationResult, createExtensionResult } from '../testing/make-result.ts'
import { addRunChecks, checkDrift, convertPredictionFailures } from './run-checks.ts'

/**
 * Builds a time series of one minute with `perSecond` requests per second. Each list has one value for each quarter.
 */
function minute(perSecond: number, ttftMs: readonly number[], failed: readonly number[] = [0, 0, 0, 0]) {
  return {
    series: Array.from({ length: 60 }, (_, atS) => {
      const quarter = Math.floor(atS / 15)
      const histogram = createHistogram(2)
      for (let n = 0; n < perSecond; n += 1) histogram.recordValue((ttftMs[quarter] ?? 0) * 1000)
      return {
        atS,
        requests: perSecond,
        ok: perSecond,
        failed: failed[quarter] ?? 0,
        inFlight: 0,
        ttftP50Ms: null,
        ttftP99Ms: null,
        ttft: perSecond === 0 ? null : encodeHistogram(histogram),
      }
    }),
  }
}

const verdicts = (measurements: ReturnType<typeof minute>) =>
  checkDrift(measurements).map(({ passes, fails }) => [passes, fails])
const [HOLDS, BROKEN, UNTESTED] = [
  [1, 0],
  [0, 1],
  [0, 0],
]

test('finds no drift if the last quarter equals the first', () => {
  expect(verdicts(minute(50, [100, 900, 900, 110], [0, 9, 9, 0]))).toEqual([HOLDS, HOLDS, HOLDS])
})

test('finds drift if the last quarter is slower or has more failures', () => {
  expect(verdicts(minute(50, [100, 100, 100, 130]))).toEqual([BROKEN, HOLDS, HOLDS])
  expect(verdicts(minute(50, [100, 100, 100, 160]))).toEqual([BROKEN, BROKEN, HOLDS])
  expect(verdicts(minute(50, [100, 100, 100, 100], [0, 0, 0, 5]))).toEqual([HOLDS, HOLDS, BROKEN])
})

test('ignores a latency drift of less than a millisecond', () => {
  expect(verdicts(minute(50, [0.2, 0.2, 0.2, 0.9]))).toEqual([HOLDS, HOLDS, HOLDS])
})

test('allows a drift up to and including the limit, and one percentage point more failures', () => {
  // Histograms with two digits represent these values within 1 %.
  const limitMs = (growth: number) => minute(50, [64, 64, 64, 64 * growth])
  expect(verdicts(limitMs(1.19))).toEqual([HOLDS, HOLDS, HOLDS])
  expect(verdicts(limitMs(1.22))).toEqual([BROKEN, HOLDS, HOLDS])
  expect(verdicts(minute(99, [100, 100, 100, 100], [0, 0, 0, 1]))).toEqual([HOLDS, HOLDS, HOLDS])
  expect(verdicts(minute(98, [100, 100, 100, 100], [0, 0, 0, 2]))).toEqual([HOLDS, HOLDS, BROKEN])
})

test('does not test drift between quarters with too few samples', () => {
  expect(verdicts(minute(2, [100, 100, 100, 300]))).toEqual([BROKEN, UNTESTED, HOLDS])
  expect(verdicts(minute(0, [0, 0, 0, 0]))).toEqual([UNTESTED, UNTESTED, UNTESTED])
})

test('tests the drift of a statistic from its exact minimum number of samples on', () => {
  const withSamples = (count: number) => {
    const histogram = createHistogram(2)
    for (let n = 0; n < count; n += 1) histogram.recordValue(100_000)
    const ttft = encodeHistogram(histogram)
    const { series } = minute(1, [100, 100, 100, 100])
    return { series: series.map((second) => ({ ...second, ttft: second.atS % 15 === 0 ? ttft : null })) }
  }
  expect(verdicts(withSamples(11))).toEqual([HOLDS, UNTESTED, HOLDS])
  expect(verdicts(withSamples(10))).toEqual([UNTESTED, UNTESTED, HOLDS])
})

test('shows both values of a tested drift check, and none of an untested one', () => {
  const names = (measurements: ReturnType<typeof minute>) => checkDrift(measurements).map(({ name }) => name)
  expect(names(minute(49, [64, 64, 64, 128], [0, 0, 0, 1]))).toEqual([
    'the p50 of times to first token in the last quarter is at most 1.2 times that in the first: 64.255 ms, then 128.511 ms',
    'the p99 of times to first token in the last quarter is at most 1.5 times that in the first: 64.255 ms, then 128.511 ms',
    'no more requests fail in the last quarter than in the first: 0 %, then 2 %',
  ])
  expect(names(minute(0, [0, 0, 0, 0]))).toEqual([
    'the p50 of times to first token in the last quarter is at most 1.2 times that in the first',
    'the p99 of times to first token in the last quarter is at most 1.5 times that in the first',
    'no more requests fail in the last quarter than in the first',
  ])
})

const ENDS = { name: 'an account that is spent is rejected with 402', passes: 1, fails: 0 }
const validationOf = (...checks: readonly { name: string; passes: number; fails: number }[]) => ({
  streams: 0,
  violations: [],
  checks,
})

test('reports a wrong price prediction as a warning, and omits the untested checks', () => {
  const served = { name: CREDIT_DRAIN_CHECKS.served, passes: 4, fails: 0 }
  const rejected = { name: CREDIT_DRAIN_CHECKS.rejected, passes: 0, fails: 1 }
  const smaller = { name: CREDIT_DRAIN_CHECKS.smallerServed, passes: 0, fails: 0 }
  const { checks, violations } = convertPredictionFailures(validationOf(ENDS, served, rejected, smaller))
  expect(checks).toEqual([ENDS, served])
  const example = `it was expected that ${CREDIT_DRAIN_CHECKS.rejected}; the specification leaves open how credits are deducted (§8 Limits)`
  expect(violations).toEqual([{ kind: 'other-price', count: 1, example }])
})

test('keeps checks without predictions unchanged', () => {
  const other = { name: 'chat: the response has usage', passes: 1, fails: 1 }
  const untested = { name: CREDIT_DRAIN_CHECKS.rejected, passes: 0, fails: 0 }
  const validation = validationOf(ENDS, other, untested)
  expect(convertPredictionFailures(validation)).toEqual(validation)
})

const CHAT_RUN = buildMeasurements(createExtensionResult({ chat: createOperationResult(3) }), () => null)

test('adds the drift checks only to a soak run that sent requests', () => {
  const added = (scenario: string, measurements = CHAT_RUN) =>
    addRunChecks(measurements, { scenario, isEmulator: true }).validation.checks.length
  expect(added('soak')).toBe(3)
  expect(added('chat-stream')).toBe(0)
  expect(
    added(
      'soak',
      buildMeasurements(createExtensionResult({}), () => null),
    ),
  ).toBe(0)
})

test('keeps the checks of the extension, and evaluates predictions only on the emulator', () => {
  const rejected = { name: CREDIT_DRAIN_CHECKS.rejected, passes: 0, fails: 1 }
  const measurements = buildMeasurements(
    createExtensionResult({ chat: createOperationResult(3) }, { checks: [ENDS, rejected] }),
    () => null,
  )
  const { validation, ...others } = addRunChecks(measurements, { scenario: 'credit-drain', isEmulator: true })
  expect({ ...others, validation: measurements.validation }).toEqual(measurements)
  expect(validation).toEqual(measurements.validation)
  const elsewhere = addRunChecks(measurements, { scenario: 'credit-drain', isEmulator: false })
  expect(elsewhere.validation.checks).toEqual([ENDS])
})
