import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Stage } from './load-settings.ts'
import { addWarmUp, planArrivals, planWarmUp } from './plan-arrivals.ts'

const stage = fc.record({
  durationS: fc.integer({ min: 1, max: 60 }),
  from: fc.integer({ min: 0, max: 40 }),
  to: fc.integer({ min: 0, max: 40 }),
})
const stages = fc.array(stage, { minLength: 1, maxLength: 5 })
const sort = fc.constantFrom('constant' as const, 'poisson' as const)

const STRIPS = 50

/**
 * Calculates the expected number of arrivals from the start until a time. Uses numeric integration, independently of
 * the tested formula.
 */
function integrate(plan: readonly Stage[], untilS: number): number {
  let [sum, startS] = [0, 0]
  for (const { durationS, from, to } of plan) {
    const spanS = Math.max(0, Math.min(durationS, untilS - startS))
    for (let at = 0; at < STRIPS; at += 1) {
      const middleS = ((at + 0.5) / STRIPS) * spanS
      sum += (from + ((to - from) * middleS) / durationS) * (spanS / STRIPS)
    }
    startS += durationS
  }
  return sum
}

function plan(arrivals: 'constant' | 'poisson', shape: readonly Stage[], seed = 1): readonly number[] {
  return planArrivals({ arrivals, stages: shape, seed }, undefined).atMs
}

describe('planned arrivals', () => {
  test('planned arrivals ascend and lie within the run', () => {
    fc.assert(
      fc.property(sort, stages, fc.nat(), (arrivals, shape, seed) => {
        const atMs = plan(arrivals, shape, seed)
        const endMs = shape.reduce((sum, { durationS }) => sum + durationS, 0) * 1000
        expect(atMs.every((at, index) => at >= (atMs[index - 1] ?? 0) && at <= endMs)).toBe(true)
      }),
    )
  })

  test('arrivals at a constant rate have equal intervals, with the first at 0 and none at the end', () => {
    expect(plan('constant', [{ durationS: 2, from: 5, to: 5 }])).toEqual([
      0, 200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800,
    ])
  })

  test('arrivals follow a changing rate: the integral of the rate until arrival i is i', () => {
    fc.assert(
      fc.property(stages, (shape) => {
        const atMs = plan('constant', shape)
        const total = shape.reduce((sum, { durationS, from, to }) => sum + (durationS * (from + to)) / 2, 0)
        expect(atMs).toHaveLength(Math.ceil(total))
        for (const index of [1, Math.floor(atMs.length / 3), atMs.length - 1]) {
          const at = atMs[index]
          if (at === undefined) continue
          const difference = integrate(shape, at / 1000) - index
          expect(Math.abs(difference)).toBeLessThan(1e-6)
        }
      }),
    )
  })

  test('a rate of 0 plans no arrivals', () => {
    expect(plan('constant', [{ durationS: 5, from: 0, to: 0 }])).toEqual([])
    expect(plan('poisson', [{ durationS: 5, from: 0, to: 0 }])).toEqual([])
  })

  test('a closed loop plans no arrivals', () => {
    const shape = [{ durationS: 5, from: 3, to: 3 }]
    expect(planArrivals({ arrivals: 'closed', stages: shape, seed: 1 }, undefined)).toEqual({ atMs: [] })
  })

  test('the planned arrivals of a trace are the arrivals in the trace', () => {
    const trace =
      '{"atMs": 0, "promptTokens": 5, "outputTokens": 7}\n\n{"atMs": 12.5, "promptTokens": 6, "outputTokens": 8}\n'
    expect(planArrivals({ arrivals: 'trace', stages: [], seed: 1 }, trace)).toEqual({
      atMs: [0, 12.5],
      promptTokens: [5, 6],
      outputTokens: [7, 8],
    })
  })
})

describe('Poisson arrivals', () => {
  const hour = plan('poisson', [{ durationS: 1000, from: 20, to: 20 }], 7)
  const gapsS = hour.slice(1).map((at, index) => (at - (hour[index] ?? 0)) / 1000)

  test('Poisson arrivals are as many as expected, within four standard deviations', () => {
    expect(Math.abs(hour.length - 20_000)).toBeLessThan(4 * Math.sqrt(20_000))
  })

  test('intervals of Poisson arrivals are exponentially distributed: mean, spread and share of long ones', () => {
    const mean = gapsS.reduce((sum, gap) => sum + gap, 0) / gapsS.length
    const variance = gapsS.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gapsS.length
    const share = (aboveS: number) => gapsS.filter((gap) => gap > aboveS).length / gapsS.length
    expect(mean).toBeCloseTo(0.05, 2)
    expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1)
    expect(share(0.05)).toBeCloseTo(Math.exp(-1), 1.5)
    expect(share(0.15)).toBeCloseTo(Math.exp(-3), 1.5)
  })

  test('the variance of Poisson arrivals per second equals their mean, without correlation', () => {
    const counts = Array.from({ length: 1000 }, () => 0)
    for (const at of hour) counts[Math.floor(at / 1000)] = (counts[Math.floor(at / 1000)] ?? 0) + 1
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length
    const covariance = (lag: number) =>
      counts.slice(lag).reduce((sum, count, at) => sum + (count - mean) * ((counts[at] ?? 0) - mean), 0) / counts.length
    expect(covariance(0) / mean).toBeGreaterThan(0.85)
    expect(covariance(0) / mean).toBeLessThan(1.15)
    expect(Math.abs(covariance(1) / covariance(0))).toBeLessThan(0.1)
  })

  test('Poisson arrivals are the same for the same seed, and differ for another seed', () => {
    const shape = [{ durationS: 10, from: 5, to: 5 }]
    expect(plan('poisson', shape, 3)).toEqual(plan('poisson', shape, 3))
    expect(plan('poisson', shape, 3)).not.toEqual(plan('poisson', shape, 4))
  })

  test('Poisson arrivals follow a rising rate', () => {
    const rising = plan('poisson', [{ durationS: 1000, from: 0, to: 40 }], 5)
    const firstHalf = rising.filter((at) => at < 500_000).length
    expect(firstHalf / rising.length).toBeCloseTo(0.25, 1)
  })
})

describe('warm-up', () => {
  const steady = { arrivals: 'constant' as const, stages: [{ durationS: 2, from: 2, to: 2 }], seed: 1 }

  test('precedes the other arrivals, at the same rate', () => {
    const settings = { ...steady, warmUpS: 1 }
    const planned = planArrivals(settings, undefined)
    expect(addWarmUp(planned, settings).atMs).toEqual([0, 500, ...planned.atMs.map((ms) => ms + 1000)])
    expect(addWarmUp(planned, steady)).toEqual(planned)
  })

  test('has the mean rate of a growing first stage', () => {
    const growing = { ...steady, stages: [{ durationS: 10, from: 0, to: 8 }], warmUpS: 1 }
    expect(planWarmUp(growing, planArrivals(growing, undefined))).toEqual([0, 250, 500, 750])
  })

  test('has the mean rate and the first requests of a trace', () => {
    const trace = { atMs: [0, 2000], promptTokens: [5, 6], outputTokens: [7, 8] }
    const settings = { arrivals: 'trace' as const, stages: [{ durationS: 2, from: 0, to: 0 }], warmUpS: 3 }
    expect(addWarmUp(trace, settings)).toEqual({
      atMs: [0, 1000, 2000, 3000, 5000],
      promptTokens: [5, 6, 5, 5, 6],
      outputTokens: [7, 8, 7, 7, 8],
    })
  })

  test('has no planned arrivals in a closed loop', () => {
    expect(planWarmUp({ ...steady, arrivals: 'closed', warmUpS: 5 }, { atMs: [] })).toEqual([])
  })
})
