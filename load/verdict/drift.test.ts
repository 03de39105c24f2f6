import { expect, test } from 'vitest'
import { createHistogram, encodeHistogram } from '../metrics/histogram.ts'
import { checkDrift } from './run-checks.ts'

/** A minute of seconds with as many requests each; values by the quarter that a second is in. */
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

test('finds no drift when the last quarter equals the first', () => {
  expect(verdicts(minute(50, [100, 900, 900, 110], [0, 9, 9, 0]))).toEqual([HOLDS, HOLDS, HOLDS])
})

test('finds drift when the last quarter is slower or has more failures', () => {
  expect(verdicts(minute(50, [100, 100, 100, 130]))).toEqual([BROKEN, HOLDS, HOLDS])
  expect(verdicts(minute(50, [100, 100, 100, 160]))).toEqual([BROKEN, BROKEN, HOLDS])
  expect(verdicts(minute(50, [100, 100, 100, 100], [0, 0, 0, 5]))).toEqual([HOLDS, HOLDS, BROKEN])
})

test('ignores growth of less than a millisecond', () => {
  expect(verdicts(minute(50, [0.2, 0.2, 0.2, 0.9]))).toEqual([HOLDS, HOLDS, HOLDS])
})

test('does not test quarters with too few samples', () => {
  expect(verdicts(minute(2, [100, 100, 100, 300]))).toEqual([BROKEN, UNTESTED, HOLDS])
  expect(verdicts(minute(0, [0, 0, 0, 0]))).toEqual([UNTESTED, UNTESTED, UNTESTED])
})
