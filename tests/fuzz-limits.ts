const { TOUCHSTONE_LONG, TOUCHSTONE_FUZZ_SECONDS = '1200', TOUCHSTONE_FUZZ_SEED = '1' } = process.env

/** Seed, first case, and limits of the time and of the number of generated cases. */
export interface FuzzLimits {
  readonly seed: number
  readonly first: number
  readonly seconds: number
  readonly maxCases: number
}

/**
 * Returns the limits of a test with generated cases: a number of cases in other tiers, and a time in the nightly tier,
 * which sets TOUCHSTONE_LONG. `TOUCHSTONE_FUZZ_SECONDS` changes the time, and `TOUCHSTONE_FUZZ_SEED` the cases.
 */
export function readFuzzLimits(maxCases: number): FuzzLimits {
  const isLong = TOUCHSTONE_LONG === '1'
  const limits = isLong
    ? { seconds: Number(TOUCHSTONE_FUZZ_SECONDS), maxCases: Infinity }
    : { seconds: Infinity, maxCases }
  return { seed: Number(TOUCHSTONE_FUZZ_SEED), first: 0, ...limits }
}
