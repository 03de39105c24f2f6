import { expect, test } from 'vitest'
import { calculateError, estimateErrors } from './estimate-errors.ts'
import type { TimingDifference } from './join-events.ts'

function differences(errorsMs: readonly number[]): TimingDifference[] {
  return errorsMs.map((errorMs) => ({
    operation: 'chat-stream',
    metric: 'ttftMs',
    measuredMs: 100 + errorMs,
    recordedMs: 100,
  }))
}

test('bounds each statistic by its own percentile of the errors', () => {
  const errors = differences([...Array.from({ length: 98 }, () => 1), -5, -9])
  expect(calculateError(errors)).toEqual({ biasMs: 0.84, p50Ms: 1, p90Ms: 1, p95Ms: 1, p99Ms: 5, maxMs: 9 })
})

test('bounds a statistic by the difference between measured and recorded percentiles', () => {
  const [early, late] = differences([2, 2])
  if (early === undefined || late === undefined) throw new Error('two differences are expected')
  const compared = [early, { ...late, measuredMs: 50, recordedMs: 50 }, { ...late, measuredMs: 300, recordedMs: 300 }]
  expect(calculateError(compared)).toMatchObject({ p50Ms: 2, p99Ms: 2 })
})

test('states bounds for another run that are wider than the errors of the calibration', () => {
  const { ttftMs } = estimateErrors(differences(Array.from({ length: 100 }, (_, index) => index)))
  expect(ttftMs).toMatchObject({ n: 100, p50Ms: 2 * 83, p90Ms: 2 * 96, p99Ms: 2 * 99, maxMs: 2 * 99 })
})

test('never states a bound below the delays of an idle machine', () => {
  expect(estimateErrors(differences([0, 0, 0]))['ttftMs']).toMatchObject({ p50Ms: 0.25, maxMs: 0.25 })
})
