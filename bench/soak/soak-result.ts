export interface SoakResult {
  readonly seconds: number
  /** Descriptions of unexpected responses and of differences in the ledger. */
  readonly wrong: readonly string[]
  readonly clients: Readonly<Record<string, number>>
  /** Number of responses, keyed by status and end, such as `200 complete`. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly accounts: number
  readonly openHolds: number
  /** Charges of the counted account, calculated from the responses and read from the ledger. */
  readonly clientUnits: number
  readonly ledgerUnits: number
  readonly rss: {
    readonly samplesMb: readonly number[]
    readonly slopeMbPerHour: number
    readonly slopeErrorMbPerHour: number
    /** Growth of the resident memory along the fitted line, from the first sample to the last. */
    readonly growthMb: number
  }
  /** Heap in use after a reset of the emulator and a full garbage collection, before and after the load. */
  readonly heapBeforeMb: number
  readonly heapAfterMb: number
  readonly resourcesAfterClose: readonly string[]
  readonly unhandled: readonly string[]
  /** Exit code of the process, or undefined if it had to be killed. */
  readonly exitCode: number | null | undefined
  /** CPU time of the emulator divided by the duration: 1 is one core. */
  readonly cpuShare: number
}

/** Maximum growth of the resident memory along the fitted line, independent of the duration. */
const MAX_RSS_GROWTH_MB = 30
/**
 * Maximum growth in a soak test of less than ten minutes, in which the heap size is not yet stable and the bounded
 * records are still filling.
 */
const MAX_SHORT_RSS_GROWTH_MB = 80
const SHORT_S = 600
/** Maximum growth of the heap after a reset. It allows for compiled code and V8's caches. */
const MAX_HEAP_GROWTH_MB = 4

/** Returns a sentence for each violated condition. The list is empty if the soak test passed. */
export function findFailures(soaked: SoakResult): string[] {
  const { rss, clientUnits, ledgerUnits, heapBeforeMb, heapAfterMb, resourcesAfterClose, exitCode } = soaked
  const mostGrowthMb = soaked.seconds < SHORT_S ? MAX_SHORT_RSS_GROWTH_MB : MAX_RSS_GROWTH_MB
  const failures = [...soaked.wrong, ...soaked.unhandled]
  const expect = (isSo: boolean, otherwise: string) => {
    if (!isSo) failures.push(otherwise)
  }
  expect(clientUnits === ledgerUnits, `the responses cost ${clientUnits} units, and ${ledgerUnits} were charged`)
  expect(clientUnits > 0, 'no response was charged')
  expect(rss.growthMb < mostGrowthMb, `resident memory grew by ${rss.growthMb} MB, and ${mostGrowthMb} are allowed`)
  expect(
    heapAfterMb - heapBeforeMb < MAX_HEAP_GROWTH_MB,
    `after a reset ${heapAfterMb} MB are in use, and ${heapBeforeMb} MB before the load`,
  )
  expect(resourcesAfterClose.length === 0, `closed, it still holds ${resourcesAfterClose.join(', ')}`)
  expect(exitCode !== undefined, 'closed, the process did not end by itself')
  expect(exitCode === undefined || exitCode === 0, `the process ended with ${exitCode}`)
  return failures
}
