import { expect, test } from 'vitest'
import { createSeededRandom } from '../../scenarios/lib/seeded-random.ts'
import { type Evaluation, type RunKind, type SearchSettings, searchLevels } from './search-levels.ts'
import { countBreaking, countHolding, countNeeded, countSuspicious } from './sequential-test.ts'

const RATES: SearchSettings = { firstLevel: 4, maxLevel: 1000, minLevel: 0.125, isWhole: false, resolution: 0.05 }
const STREAMS: SearchSettings = { ...RATES, firstLevel: 8, minLevel: 1, isWhole: true }

/** Share of slow responses that the simulated budget allows: that of a p99. */
const ALLOWED = 0.01
/** Share of slow responses below the capacity, above it, and during a disturbance. */
const SHARES = { below: 0.0002, above: 0.4, disturbed: 0.2 }

interface SimulatedRun {
  readonly samples: number
  readonly slow: number
  readonly isLate?: boolean
}

/** Evaluates the samples of a run as a budget on p99. */
function evaluate({ samples, slow, isLate = false }: SimulatedRun): Evaluation & { run: SimulatedRun } {
  return { ...evaluateSamples(samples, slow, isLate), run: { samples, slow, isLate } }
}

function evaluateSamples(samples: number, slow: number, isLate: boolean): Evaluation {
  if (isLate) return { outcome: 'generator', isWithin: true }
  const isWithin = slow < countSuspicious(samples, ALLOWED)
  if (slow >= countBreaking(samples, ALLOWED)) return { outcome: 'broken', isWithin }
  return { outcome: slow <= countHolding(samples, ALLOWED) ? 'holds' : 'uncertain', isWithin }
}

/** Searches a simulated server. `shareAt` returns the share of slow responses of a run at a level. */
async function search(
  shareAt: (level: number, run: number, kind: RunKind) => number | 'late',
  { settings = RATES, seed = 1 }: { settings?: SearchSettings; seed?: number } = {},
) {
  const measured: number[] = []
  const run = async (level: number, kind: RunKind) => {
    measured.push(level)
    const share = shareAt(level, measured.length, kind)
    if (share === 'late') return evaluate({ samples: 100, slow: 0, isLate: true })
    const samples = kind === 'proof' ? countNeeded(ALLOWED) : Math.max(20, Math.ceil(4 * level))
    const isSlow = (_: unknown, index: number) => createSeededRandom(seed, `run-${measured.length}`, index) < share
    return evaluate({ samples, slow: Array.from({ length: samples }, isSlow).filter(Boolean).length })
  }
  const { bounds, end, steps } = await searchLevels<SimulatedRun, never>(settings, run)
  return { ...bounds, end, measured, steps }
}

const atCapacity = (capacity: number) => (level: number) => (level <= capacity ? SHARES.below : SHARES.above)

test.each([4, 5, 7.1, 37.7, 640, 990])(
  'finds the rate %d of a monotone server within the resolution',
  async (capacity) => {
    const { from = 0, to = Infinity, end, measured } = await search(atCapacity(capacity))
    expect(end).toBe('resolution')
    expect(from).toBeLessThanOrEqual(capacity)
    expect(to).toBeGreaterThan(capacity)
    expect(to / from).toBeLessThanOrEqual(1.05 + 1e-9)
    expect(measured.length).toBeLessThanOrEqual(20)
  },
)

test.each([1, 2, 3, 8, 9, 64, 212, 940])('finds %d parallel streams within the resolution', async (capacity) => {
  const { from = 0, to = Infinity, end, measured } = await search(atCapacity(capacity), { settings: STREAMS })
  expect(end).toBe('resolution')
  expect(from).toBeLessThanOrEqual(capacity)
  expect(to).toBeGreaterThan(capacity)
  expect(to <= from + 1 || to / from <= 1.05).toBe(true)
  expect(measured.every(Number.isInteger)).toBe(true)
})

test('proves the highest level only, with enough samples, and measures the level that breaks a budget twice', async () => {
  const { from, to, steps } = await search(atCapacity(64), { settings: STREAMS })
  const proofs = steps.filter(({ runs }) => runs.some(({ kind }) => kind === 'proof'))
  expect(proofs.map(({ level }) => level)).toEqual([from])
  expect(steps.find(({ level }) => level === to)?.runs).toHaveLength(2)
})

test('ends at the highest level if every level holds', async () => {
  const { end, from, to, measured } = await search(() => 0)
  expect({ end, from, to }).toEqual({ end: 'max-level', from: 1000, to: undefined })
  expect(new Set(measured)).toEqual(new Set([4, 8, 16, 32, 64, 128, 256, 512, 1000]))
})

test('ends far below the first level if no level holds', async () => {
  const { measured, end, from, to } = await search(() => 0.5)
  expect({ end, from, to }).toEqual({ end: 'no-level', from: undefined, to: 0.125 })
  expect(measured.slice(-2)).toEqual([0.125, 0.125])
})

test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  'finds the same capacity although run %d is disturbed',
  async (disturbed) => {
    const { from = 0, to = 0 } = await search((level, run) =>
      run === disturbed ? 0.4 : level <= 21 ? SHARES.below : SHARES.above,
    )
    expect(from).toBeGreaterThan(0.9 * 21)
    expect(from).toBeLessThanOrEqual(21)
    expect(to).toBeGreaterThan(21)
    expect(to).toBeLessThan(1.1 * 21)
  },
)

test('measures a level again that broke a budget by chance, after another level', async () => {
  const { measured, from } = await search((level, run) => (run === 3 ? 0.4 : level <= 100 ? 0 : 0.4))
  // The third run, at 16 per second, was disturbed.
  expect(measured.slice(0, 6)).toEqual([4, 8, 16, 11.3, 16, 32])
  expect(from).toBeGreaterThan(95)
})

test('accepts no level that holds only in short runs, in which a growing queue is still short', async () => {
  const { from = 0 } = await search((level, _run, kind) => (level <= (kind === 'probe' ? 330 : 300) ? 0 : 0.4))
  expect(from).toBeLessThanOrEqual(300)
  expect(from).toBeGreaterThan(250)
})

test('returns an interval with the capacity if one in ten runs is disturbed', async () => {
  const results = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const seed = index + 1
      const shareAt = (level: number, run: number) =>
        createSeededRandom(seed, 'disturbance', run) < 0.1 ? SHARES.disturbed : atCapacity(64)(level)
      return search(shareAt, { settings: STREAMS, seed })
    }),
  )
  expect(results.every(({ from = 0 }) => from <= 64)).toBe(true)
  expect(results.every(({ measured }) => measured.length <= 35)).toBe(true)
  const containing = results.filter(({ from, to }) => from !== undefined && to !== undefined && to >= 64)
  expect(containing.length / results.length).toBeGreaterThan(0.9)
})

test('returns an interval if the levels near the capacity stay undecided', async () => {
  // Between 50 and 70 streams, the share of slow responses is as large as the budget allows.
  const {
    from = 0,
    to = 0,
    end,
  } = await search((level) => (level < 50 ? SHARES.below : level > 70 ? SHARES.above : ALLOWED), { settings: STREAMS })
  expect(end).toBe('uncertain')
  expect(from).toBeGreaterThan(40)
  expect(from).toBeLessThan(70)
  expect(to).toBeGreaterThan(50)
  expect(to).toBeLessThan(76)
})

test('ends without an upper bound if the highest level stays undecided', async () => {
  const { from = 0, to, end, measured } = await search((level) => (level === 1000 ? 1.5 * ALLOWED : 0))
  expect({ end, to }).toEqual({ end: 'uncertain', to: undefined })
  expect(from).toBeGreaterThan(900)
  expect(measured.length).toBeLessThan(20)
})

test('does not take a limit of the generator for a limit of the target', async () => {
  const once = await search((level, run) => (run === 2 ? 'late' : atCapacity(20)(level)))
  expect(once.end).toBe('resolution')
  const always = await search((level) => (level > 10 ? 'late' : 0))
  expect(always).toMatchObject({ end: 'generator', to: undefined })
  expect(always.from).toBeGreaterThan(9.5)
})

test('ends with the reason why a measurement was not possible', async () => {
  const { steps, end } = await searchLevels<SimulatedRun, 'credits'>(RATES, async (level) =>
    level > 10 ? { end: 'credits' } : evaluate({ samples: 1000, slow: 0 }),
  )
  expect(end).toBe('credits')
  expect(steps.map(({ level }) => level)).toEqual([4, 8])
})
