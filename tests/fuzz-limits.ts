import type { FuzzOptions } from '../bench/fuzz-clock/run-fuzz.ts'

const IS_LONG = process.env['TOUCHSTONE_LONG'] === '1'
const { TOUCHSTONE_FUZZ_SECONDS = '1200', TOUCHSTONE_FUZZ_SEED = IS_LONG ? `${Date.now() % 2 ** 31}` : '1' } =
  process.env

/**
 * Returns the limits of a test with generated cases: a number of cases, or in the nightly tier, which sets
 * TOUCHSTONE_LONG, a time and a new seed. `TOUCHSTONE_FUZZ_SECONDS` and `TOUCHSTONE_FUZZ_SEED` replace these.
 */
export function readFuzzLimits(maxCases: number): FuzzOptions {
  const limits = IS_LONG
    ? { seconds: Number(TOUCHSTONE_FUZZ_SECONDS), maxCases: Infinity }
    : { seconds: Infinity, maxCases }
  return { seed: Number(TOUCHSTONE_FUZZ_SEED), first: 0, ...limits }
}
