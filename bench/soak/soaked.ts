/** What was found in a soak. */
export interface Soaked {
  /** How long the load lasted. */
  readonly seconds: number
  /** What clients should not have seen, and what of the ledger does not follow. */
  readonly wrong: readonly string[]
  /** How many there were of each kind. */
  readonly clients: Readonly<Record<string, number>>
  /** Status and end of each answer. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly accounts: number
  readonly openHolds: number
  /** The bill of one account, as its answers give it, and as it was charged. */
  readonly clientUnits: number
  readonly ledgerUnits: number
  readonly rss: {
    readonly samplesMb: readonly number[]
    readonly slopeMbPerHour: number
    readonly slopeErrorMbPerHour: number
    /** Of the line, from its first sample to its last. */
    readonly growthMb: number
  }
  /** In use after a reset and a full collection, before the load and after it. */
  readonly heapBeforeMb: number
  readonly heapAfterMb: number
  readonly resourcesAfterClose: readonly string[]
  readonly unhandled: readonly string[]
  /** Undefined: the process did not end by itself. */
  readonly exitCode: number | null | undefined
  /** Processor time of the emulator as a share of one core. */
  readonly cpuShare: number
}

/** Resident memory may grow by less than this along its line, however many hours the soak. */
const MOST_RSS_GROWTH_MB = 30
/** And by less than this in a short one, during which the heap finds its size and the bounded records fill. */
const MOST_SHORT_RSS_GROWTH_MB = 80
const SHORT_S = 600
/** So much more may be in use after a reset: compiled code, and caches of the engine. */
const MOST_HEAP_GROWTH_MB = 4

/** One sentence for each thing that must not be; none: all held. */
export function findFaults(soaked: Soaked): string[] {
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
