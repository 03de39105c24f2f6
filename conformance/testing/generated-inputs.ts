const LONG_RUNS = 100_000

/**
 * Returns the number of generated inputs for a test: `usually` in the unit tier, and many more in the nightly tier,
 * which sets TOUCHSTONE_LONG=1.
 */
export function getInputCount(usually: number): number {
  return process.env['TOUCHSTONE_LONG'] === '1' ? LONG_RUNS : usually
}

/** Timeout of a test with generated inputs, in milliseconds. It is so long that only a test that hangs reaches it. */
export const LONG_TEST_TIMEOUT_MS = 1_800_000
