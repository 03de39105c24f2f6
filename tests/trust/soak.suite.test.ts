import { expect, test } from 'vitest'
import { runSoak } from './soak/run-soak.ts'

/**
 * Duration of the test, long enough that every kind of client runs several times. The nightly tier sets TOUCHSTONE_LONG
 * and runs longer.
 */
const { TOUCHSTONE_LONG, TOUCHSTONE_SOAK_SECONDS = TOUCHSTONE_LONG === '1' ? '600' : '4' } = process.env
const SECONDS = Number(TOUCHSTONE_SOAK_SECONDS)
/**
 * Maximum growth of the resident memory. In the first ten minutes, the heap size is not yet stable and the bounded
 * records of the emulator are still filling.
 */
const MAX_GROWTH_MB = SECONDS < 600 ? 80 : 30
/** Maximum growth of the heap after a reset. It allows for compiled code and V8's caches. */
const MAX_HEAP_GROWTH_MB = 4

test(
  'leaks no credits, handles or memory under mixed load with faults',
  { timeout: (SECONDS + 120) * 1000 },
  async () => {
    const { clients, outcomes, clientUnits, growthMb, heapGrowthMb, ...soaked } = await runSoak(SECONDS)
    expect(soaked).toEqual({
      wrong: [],
      inconsistent: [],
      ledgerUnits: clientUnits,
      resourcesAfterClose: [],
      unhandled: [],
      exitCode: 0,
    })
    expect(clientUnits).toBeGreaterThan(0)
    expect(growthMb).toBeLessThan(MAX_GROWTH_MB)
    expect(heapGrowthMb).toBeLessThan(MAX_HEAP_GROWTH_MB)
    expect(Object.keys(clients)).toHaveLength(13) // Ensures that every kind of client has run.
    const ends = Object.keys(outcomes)
    expect(ends).toEqual(
      expect.arrayContaining([
        '200 complete',
        '200 aborted',
        '200 truncated',
        '402 complete',
        '429 complete',
        '500 complete',
      ]),
    )
    // Some clients get no response: the connection was cut, or the client disconnected early on a slow machine.
    expect(ends.some((end) => end === '0 truncated' || end === '0 aborted')).toBe(true)
  },
)
