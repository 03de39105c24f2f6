import { describe, expect, test } from 'vitest'
import { PROFILES, type ProfileName, resolveProfile } from './profiles.ts'

const NAMES = Object.keys(PROFILES) as ProfileName[] // the keys of a literal

describe.each(NAMES)('the profile %s', (name) => {
  test('fills its duration, and reaches its peak and goes no higher', () => {
    const { stages, vus } = resolveProfile(name, { rate: 30, durationS: 90 })
    const total = stages.reduce((sum, { durationS }) => sum + durationS, 0)
    expect(total).toBeCloseTo(90, 6)
    expect(Math.max(...stages.flatMap(({ from, to }) => [from, to]))).toBe(30)
    expect(vus).toBeGreaterThanOrEqual(30)
  })

  test('has no jump that is not meant: a stretch begins where the one before ended', () => {
    const { stages } = resolveProfile(name)
    const jumps = stages.slice(1).filter(({ from }, at) => from !== stages[at]?.to)
    expect(jumps).toEqual([])
  })
})

describe('what is asked for', () => {
  test('a rate makes a plan, even of smoke', () => {
    expect(resolveProfile('smoke', { rate: 3 })).toMatchObject({ arrivals: 'constant', stages: [{ from: 3, to: 3 }] })
  })

  test('a number of requests makes a closed loop, without the profile’s plan', () => {
    expect(resolveProfile('average', { iterations: 7, vus: 2 })).toMatchObject({
      arrivals: 'closed',
      iterations: 7,
      vus: 2,
    })
  })

  test('a duration takes the place of a number of requests', () => {
    expect(resolveProfile('smoke')).toMatchObject({ iterations: PROFILES.smoke.iterations })
    expect(resolveProfile('smoke', { durationS: 5 })).not.toHaveProperty('iterations')
  })

  test('only the search for the breaking point stops there', () => {
    expect(NAMES.filter((name) => resolveProfile(name).stopsWhenBroken === true)).toEqual(['breakpoint'])
  })
})
