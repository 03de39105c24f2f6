/** Result of a soak test. */
export interface SoakResult {
  /** Duration of the load. */
  readonly seconds: number
  /** Unexpected responses, and differences in the ledger. */
  readonly wrong: readonly string[]
  /** Number of clients by kind. */
  readonly clients: Readonly<Record<string, number>>
  /** Number of responses by status and end. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly accounts: number
  readonly openHolds: number
  /** Charges of one account: according to the responses, and according to the ledger. */
  readonly clientUnits: number
  readonly ledgerUnits: number
  readonly rss: {
    readonly samplesMb: readonly number[]
    readonly slopeMbPerHour: number
    readonly slopeErrorMbPerHour: number
    /** Growth along the fitted line, from the first sample to the last. */
    readonly growthMb: number
  }
  /** Heap in use after a reset and a full garbage collection, before and after the load. */
  readonly heapBeforeMb: number
  readonly heapAfterMb: number
  readonly resourcesAfterClose: readonly string[]
  readonly unhandled: readonly string[]
  /** Undefined if the process did not exit by itself. */
  readonly exitCode: number | null | undefined
  /** CPU time of the emulator as a fraction of one core. */
  readonly cpuShare: number
}

/** Maximum growth of the resident memory along the fitted line, for a soak test of any duration. */
const MOST_RSS_GROWTH_MB = 30
/** Maximum growth in a short soak test, during which the heap settles and the bounded records fill. */
const MOST_SHORT_RSS_GROWTH_MB = 80
const SHORT_S = 600
/** Maximum growth of the heap after a reset: compiled code, and caches of the engine. */
const MOST_HEAP_GROWTH_MB = 4

/** Lists the violated conditions, one sentence each; empty if everything was correct. */
export function findFailures(soaked: SoakResult): string[] {
  const { rss, clientUnits, ledgerUnits, heapBeforeMb, heapAfterMb, resourcesAfterClose, exitCode } = soaked
  const mostGrowthMb = soaked.seconds < SHORT_S ? MOST_SHORT_RSS_GROWTH_MB : MOST_RSS_GROWTH_MB
  const faults = [...soaked.wrong, ...soaked.unhandled]
  const expect = (isSo: boolean, otherwise: string) => {
    if (!isSo) faults.push(otherwise)
  }
  expect(clientUnits === ledgerUnits, `the answers cost ${clientUnits} units, and ${ledgerUnits} were charged`)
  expect(clientUnits > 0, 'no answer was billed')
  expect(rss.growthMb < mostGrowthMb, `resident memory grew by ${rss.growthMb} MB, and ${mostGrowthMb} are allowed`)
  expect(
    heapAfterMb - heapBeforeMb < MOST_HEAP_GROWTH_MB,
    `after a reset ${heapAfterMb} MB are in use, and ${heapBeforeMb} MB before the load`,
  )
  expect(resourcesAfterClose.length === 0, `closed, it still holds ${resourcesAfterClose.join(', ')}`)
  expect(exitCode !== undefined, 'closed, the process did not end by itself')
  expect(exitCode === undefined || exitCode === 0, `the process ended with ${exitCode}`)
  return faults
}
