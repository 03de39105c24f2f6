const LONG_RUNS = 100_000

/** How many inputs a test tries: few in the unit tier, many in the nightly one, which sets TOUCHSTONE_LONG=1. */
export function inputs(usually: number): number {
  return process.env['TOUCHSTONE_LONG'] === '1' ? LONG_RUNS : usually
}

/** Milliseconds that such a test may take at most: a bound for a test that hangs, no measure of speed. */
export const LONG_TEST_MS = 1_800_000
