import { expect, test } from 'vitest'
import { createError, createExtensionResult, createOperationResult, repeatValue } from '../testing/make-result.ts'
import { buildMeasurements } from './measurements.ts'
import { mergeMeasurements } from './merge-measurements.ts'
import { calculateOutputTokens } from './output-tokens.ts'

/** A run of ten seconds: 100 streams with a TPOT of 10 ms, except for two with 20 ms. */
const streams = (withUsage: number) =>
  createOperationResult(
    100,
    { tpotMs: [...repeatValue(98, 10), 20, 20] },
    {
      output: {
        responses: 100,
        withUsage,
        completionTokens: 30 * withUsage,
        streams: 100,
        withoutToken: 0,
        withoutText: 3,
        cutBeforeText: 2,
      },
    },
  )

test('calculates the output tokens per second of a run and of a stream, with bounds', () => {
  const run = createExtensionResult({ 'chat-stream': streams(100), images: createOperationResult(9) })
  const rate = (perSecond: number, low: number, high: number) => ({ perSecond, low, high })
  expect(calculateOutputTokens(buildMeasurements(run, () => createError(0.1)))).toEqual({
    responses: 100,
    withUsage: 100,
    perSecond: 300,
    perStream: {
      n: 100,
      p50: rate(100, 99.01, 101.01),
      p10: rate(100, 99.01, 101.01),
      p5: rate(100, 99.01, 101.01),
      p1: rate(50, 49.751, 50.251),
    },
  })
})

test('counts only tokens of usage, and adds those of several processes', () => {
  const part = (withUsage: number) =>
    buildMeasurements(createExtensionResult({ 'chat-stream': streams(withUsage) }), () => null)
  const merged = mergeMeasurements([part(40), part(100)])
  expect(merged.requests.byOperation['chat-stream']?.output).toEqual({
    responses: 200,
    withUsage: 140,
    completionTokens: 4200,
    streams: 200,
    withoutToken: 0,
    withoutText: 6,
    cutBeforeText: 4,
  })
  expect(calculateOutputTokens(merged)).toMatchObject({
    responses: 200,
    withUsage: 140,
    perSecond: 420,
    perStream: { n: 200, p50: { perSecond: 100, low: null, high: null } },
  })
  expect(calculateOutputTokens(part(0))).toMatchObject({ withUsage: 0, perSecond: null })
  const images = createExtensionResult({ images: createOperationResult(9) })
  expect(calculateOutputTokens(buildMeasurements(images, () => null))).toBe(undefined)
})
