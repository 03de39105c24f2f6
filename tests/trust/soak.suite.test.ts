import { expect, test } from 'vitest'
import { runSoak } from '../../bench/soak/run-soak.ts'
import { findFailures, type SoakResult } from '../../bench/soak/soak-result.ts'

/**
 * Duration of the test in seconds, long enough that every kind of client runs several times. The nightly tier sets
 * TOUCHSTONE_LONG and runs longer.
 */
const SECONDS = process.env['TOUCHSTONE_LONG'] === '1' ? 600 : 4

test(
  'leaks no credits, handles or memory under mixed load with faults',
  { timeout: (SECONDS + 120) * 1000 },
  async () => {
    const soaked = await runSoak({ seconds: SECONDS, clientsPerS: 60, seed: 1, fillClients: 0 })
    expect(findFailures(soaked)).toEqual([])
    expect(Object.keys(soaked.clients)).toHaveLength(13) // Ensures that every kind of client has run.
    const ends = Object.keys(soaked.outcomes)
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

const CLEAN: SoakResult = {
  seconds: 60,
  wrong: [],
  clients: {},
  outcomes: {},
  accounts: 5,
  openHolds: 0,
  clientUnits: 400,
  ledgerUnits: 400,
  rss: { samplesMb: [], slopeMbPerHour: 0, slopeErrorMbPerHour: 0, growthMb: 0 },
  heapBeforeMb: 18,
  heapAfterMb: 18,
  resourcesAfterClose: [],
  unhandled: [],
  exitCode: 0,
  cpuShare: 0.1,
}

test.each<[what: Partial<SoakResult>, words: string]>([
  [{ ledgerUnits: 401 }, 'the responses cost 400 units, and 401 were charged'],
  [{ wrong: ['1 holds are open without a request in flight'] }, '1 holds are open'],
  [{ unhandled: ['rejection: Error'] }, 'rejection: Error'],
  [{ seconds: 1800, rss: { ...CLEAN.rss, growthMb: 31 } }, 'resident memory grew by 31 MB'],
  [{ rss: { ...CLEAN.rss, growthMb: 81 } }, 'resident memory grew by 81 MB'],
  [{ rss: { ...CLEAN.rss, growthMb: Number.NaN } }, 'resident memory grew by NaN MB'],
  [{ heapAfterMb: 22.1 }, 'after a reset 22.1 MB are in use'],
  [{ resourcesAfterClose: ['Timeout'] }, 'closed, it still holds Timeout'],
  [{ exitCode: undefined }, 'did not end by itself'],
  [{ exitCode: 7 }, 'the process ended with 7'],
])('the soak test reports %j', (what, words) => {
  expect(findFailures(CLEAN)).toEqual([])
  expect(findFailures({ ...CLEAN, ...what })).toEqual([expect.stringContaining(words)])
})
