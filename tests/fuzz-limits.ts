const IS_LONG = process.env['TOUCHSTONE_LONG'] === '1'
const { TOUCHSTONE_FUZZ_SECONDS = '1200', TOUCHSTONE_FUZZ_SEED = IS_LONG ? `${Date.now() % 2 ** 31}` : '1' } =
  process.env

/** Seed, first case, and limits of the time and of the number of generated cases. */
export interface FuzzLimits {
  readonly seed: number
  readonly first: number
  readonly seconds: number
  readonly maxCases: number
}

/**
 * Returns the limits of a test with generated cases: a number of cases, or in the nightly tier, which sets
 * TOUCHSTONE_LONG, a time and a new seed. `TOUCHSTONE_FUZZ_SECONDS` and `TOUCHSTONE_FUZZ_SEED` replace these.
 */
export function readFuzzLimits(maxCases: number): FuzzLimits {
  const limits = IS_LONG
    ? { seconds: Number(TOUCHSTONE_FUZZ_SECONDS), maxCases: Infinity }
    : { seconds: Infinity, maxCases }
  return { seed: Number(TOUCHSTONE_FUZZ_SEED), first: 0, ...limits }
}
