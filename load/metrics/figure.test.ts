import { expect, test } from 'vitest'
import type { HistogramResult } from '../../scenarios/lib/extension-result.ts'
import { createError, createSamplesResult, repeatValue } from '../testing/make-result.ts'
import { summarizeSamples, convertToSamples, mergeSamples } from './figure.ts'

const withEnds = (measured: number[], low: number[], high: number[]): HistogramResult => ({
  ...createSamplesResult(measured),
  low: createSamplesResult(low),
  high: createSamplesResult(high),
})

/** 90 exact samples of 100 ms, and 10 of 200 ms that may have been 150 ms. */
const LATE = withEnds(
  [...repeatValue(90, 100), ...repeatValue(10, 200)],
  [...repeatValue(90, 100), ...repeatValue(10, 150)],
  [...repeatValue(90, 100), ...repeatValue(10, 200)],
)

test('bounds the error of each statistic by the percentiles of the low and of the high ends', () => {
  const { error, bounds } = summarizeSamples(LATE, createError(9))
  expect(error?.biasMs).toBe(2.5)
  // Buckets at 200 ms are up to 0.012 ms wide.
  expect(error?.p50Ms).toBeLessThan(0.04)
  expect(error?.p50Ms).toBeGreaterThanOrEqual(0.02) // timestamps of one packet differ
  for (const bound of [error?.p95Ms, error?.p99Ms, error?.maxMs]) expect(bound).toBeCloseTo(50, 1)
  expect(bounds).toMatchObject({ low: { mean: 105, max: 150 }, high: { mean: 110, max: 200 } })
})

test('bounds the error on both sides of a measured value', () => {
  const early = withEnds([100], [99], [130])
  expect(summarizeSamples(early, null).error?.p50Ms).toBeCloseTo(30, 1)
})

test('states the estimated error of samples without bounds', () => {
  const estimated = createError(3)
  const figure = summarizeSamples(createSamplesResult([100]), estimated)
  expect(figure.error).toBe(estimated)
  expect(figure).not.toHaveProperty('bounds')
})

test('calculates the bounds of merged samples from the bounds of all samples', () => {
  const exact = withEnds(repeatValue(900, 100), repeatValue(900, 100), repeatValue(900, 100))
  const parts = [exact, LATE].map((samples) => convertToSamples(summarizeSamples(samples, null)))
  const merged = mergeSamples(parts)
  if (merged === undefined) throw new Error('there are samples')
  const { error } = summarizeSamples(merged, null)
  // The process with the late samples has an error of 50 ms at p95, but only 1 % of all samples are late.
  expect(error?.p95Ms).toBeLessThan(0.04)
  expect(error?.maxMs).toBeCloseTo(50, 1)
  expect(summarizeSamples(mergeSamples([exact, createSamplesResult([1])]) ?? exact, null).error).toBeNull()
})
