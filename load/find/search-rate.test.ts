import { expect, test } from 'vitest'
import { createSeededRandom } from '../../scenarios/lib/seeded-random.ts'
import { findBounds, type SearchSettings, searchRate, type StepOutcome } from './search-rate.ts'

const SETTINGS: SearchSettings = { firstRate: 4, maxRate: 1000, resolution: 0.05 }

/** A run of a simulated system: its rate, and its outcome when evaluated alone. */
interface SimulatedRun {
  readonly rate: number
  readonly outcome: StepOutcome
}

/**
 * Searches a simulated system. The outcome of most runs of a step is the outcome of the step; a tie makes it uncertain.
 */
async function search(outcomeAt: (rate: number, run: number) => StepOutcome, settings = SETTINGS) {
  const measured: number[] = []
  const { steps, end } = await searchRate<SimulatedRun, 'credits'>(settings, {
    run: async (rate) => {
      measured.push(rate)
      return { rate, outcome: outcomeAt(rate, measured.length) }
    },
    evaluate(runs) {
      const count = (wanted: StepOutcome) => runs.filter(({ outcome }) => outcome === wanted).length
      if (count('generator') === runs.length) return 'generator'
      if (count('holds') === count('broken')) return 'uncertain'
      return count('holds') > count('broken') ? 'holds' : 'broken'
    },
  })
  return { ...findBounds(steps), end, measured, steps }
}

test.each([0.3, 4, 5, 37.7, 640, 999])(
  'finds the capacity %d of a monotone system within the resolution',
  async (capacity) => {
    const {
      holdsAt = 0,
      brokenAt = Infinity,
      end,
      measured,
    } = await search((rate) => (rate <= capacity ? 'holds' : 'broken'))
    expect(end).toBe('resolution')
    expect(holdsAt).toBeLessThanOrEqual(capacity)
    expect(brokenAt).toBeGreaterThan(capacity)
    expect(brokenAt / holdsAt).toBeLessThanOrEqual(1.05)
    // The number of runs grows with the logarithm of the rate, because the search doubles or halves it.
    expect(measured.length).toBeLessThanOrEqual(15)
  },
)

test('ends at the highest rate if every rate holds', async () => {
  const { measured, end, holdsAt, brokenAt } = await search(() => 'holds')
  expect({ end, holdsAt, brokenAt }).toEqual({ end: 'max-rate', holdsAt: 1000, brokenAt: undefined })
  expect(measured).toEqual([4, 8, 16, 32, 64, 128, 256, 512, 1000])
})

test('ends far below the first rate if no rate holds', async () => {
  const { measured, end, holdsAt } = await search(() => 'broken')
  expect({ end, holdsAt }).toEqual({ end: 'no-rate', holdsAt: undefined })
  expect(measured).toEqual([4, 2, 1, 0.5, 0.25, 0.125, 0.125])
})

test('ends without a decision if the outcome is uncertain at every rate', async () => {
  const { end, holdsAt } = await search(() => 'uncertain')
  expect({ end, holdsAt }).toEqual({ end: 'uncertain', holdsAt: undefined })
})

test('recovers from a single broken run at a rate that holds', async () => {
  // A disturbance breaks the first run at 16 per second. The search converges below that rate, repeats it, and
  // continues upwards.
  const { holdsAt = 0, measured, end } = await search((rate, run) => (run === 3 || rate > 100 ? 'broken' : 'holds'))
  expect(measured[2]).toBe(16)
  expect(end).toBe('resolution')
  expect(holdsAt).toBeGreaterThan(95)
  expect(holdsAt).toBeLessThanOrEqual(100)
})

test('finds the capacity of a noisy system within a few percent', async () => {
  const errors = Array.from({ length: 40 }, async (_, seed) => {
    const { holdsAt = 0 } = await search((rate, run) => {
      // Within 5 % of the capacity, the outcome of a run is random.
      const share = (rate / 50 - 0.95) / 0.1
      return createSeededRandom(seed + 1, 'noise', run) < share ? 'broken' : 'holds'
    })
    return Math.abs(holdsAt / 50 - 1)
  })
  expect(Math.max(...(await Promise.all(errors)))).toBeLessThan(0.1)
})

test('repeats an uncertain step three times, and then treats it as not holding', async () => {
  const { holdsAt, brokenAt, measured } = await search((rate) => (rate < 8 ? 'holds' : 'uncertain'), {
    ...SETTINGS,
    resolution: 1,
  })
  expect({ holdsAt, brokenAt }).toEqual({ holdsAt: 4, brokenAt: 8 })
  expect(measured).toEqual([4, 8, 8, 8, 8])
})

test('repeats a step after a generator error, and ends after a second error', async () => {
  const once = await search((rate, run) => (run === 2 ? 'generator' : rate <= 20 ? 'holds' : 'broken'))
  expect(once.end).toBe('resolution')
  const always = await search((rate) => (rate > 10 ? 'generator' : 'holds'))
  expect(always).toMatchObject({ end: 'generator', holdsAt: 8, measured: [4, 8, 16, 16] })
})

test('ends with the reason why a measurement was not possible', async () => {
  const { steps, end } = await searchRate<SimulatedRun, 'credits'>(SETTINGS, {
    run: async (rate) => (rate > 10 ? { end: 'credits' } : { rate, outcome: 'holds' }),
    evaluate: () => 'holds',
  })
  expect(end).toBe('credits')
  expect(steps.map(({ rate }) => rate)).toEqual([4, 8])
})
