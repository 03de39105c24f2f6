import { expect, test } from 'vitest'
import { createError, createFigure } from '../../testing/sample-load.ts'
import { createErrorBand } from './percentile-charts.ts'
import { positionOf } from './percentile-axis.ts'

const FIGURE = createFigure({ n: 1000, medianMs: 100, spread: 0 })

test('takes the band at a percentile from the bounds of the samples', () => {
  const low = createFigure({ n: 1000, medianMs: 90, spread: 0 })
  const high = createFigure({ n: 1000, medianMs: 130, spread: 0 })
  const band = createErrorBand({ ...FIGURE, error: createError(1), bounds: { low, high } })
  expect(band?.(positionOf(0.9), 100).low).toBeCloseTo(90, 1)
  expect(band?.(positionOf(0.9), 100).high).toBeCloseTo(130, 1)
})

test('interpolates the error bounds of the percentiles without bounds of the samples', () => {
  const error = { biasMs: 0, p50Ms: 2, p90Ms: 10, p95Ms: 20, p99Ms: 4, maxMs: 4 }
  const band = createErrorBand({ ...FIGURE, error })
  expect(band?.(positionOf(0.5), 100)).toEqual({ low: 98, high: 102 })
  expect(band?.(positionOf(0.9), 100)).toEqual({ low: 90, high: 110 })
  const quarter = 0.75 * positionOf(0.9) + 0.25 * positionOf(0.95)
  expect(band?.(quarter, 100).high).toBeCloseTo(112.5, 6)
  expect(band?.(0, 1)).toEqual({ low: 0, high: 3 })
  expect(band?.(3, 100)).toEqual({ low: 96, high: 104 })
})

test('has no band if the error is unknown', () => {
  expect(createErrorBand(FIGURE)).toBeUndefined()
})
