import { describe, expect, test } from 'vitest'
import { PROFILES, type ProfileName, resolveProfile } from './profiles.ts'

const NAMES = Object.keys(PROFILES) as ProfileName[] // The cast is safe: these are the keys of an object literal.

describe.each(NAMES)('the profile %s', (name) => {
  test('a profile lasts its duration, and reaches but never exceeds its peak', () => {
    const { stages, vus } = resolveProfile(name, { rate: 30, durationS: 90 })
    const total = stages.reduce((sum, { durationS }) => sum + durationS, 0)
    expect(total).toBeCloseTo(90, 6)
    expect(Math.max(...stages.flatMap(({ from, to }) => [from, to]))).toBe(30)
    expect(vus).toBeGreaterThanOrEqual(30)
  })

  test('each stage of a profile starts at the rate at which the previous one ended', () => {
    const { stages } = resolveProfile(name)
    const jumps = stages.slice(1).filter(({ from }, at) => from !== stages[at]?.to)
    expect(jumps).toEqual([])
  })
})

describe('an override of a profile', () => {
  test('a rate option plans arrivals in every profile, even smoke', () => {
    expect(resolveProfile('smoke', { rate: 3 })).toMatchObject({ arrivals: 'constant', stages: [{ from: 3, to: 3 }] })
  })

  test('a number of requests replaces the plan of the profile with a closed loop', () => {
    expect(resolveProfile('average', { iterations: 7, vus: 2 })).toMatchObject({
      arrivals: 'closed',
      iterations: 7,
      vus: 2,
    })
  })

  test('a duration option replaces the number of requests of a profile', () => {
    expect(resolveProfile('smoke')).toMatchObject({ iterations: PROFILES.smoke.iterations })
    expect(resolveProfile('smoke', { durationS: 5 })).not.toHaveProperty('iterations')
  })

  test('only the breakpoint profile aborts at a crossed threshold after an override', () => {
    expect(NAMES.filter((name) => resolveProfile(name).stopsWhenBroken === true)).toEqual(['breakpoint'])
  })
})
