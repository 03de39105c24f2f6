const LONG_RUNS = 100_000

/**
 * Number of generated inputs of a test: few in the unit tier, many in the nightly tier, which sets TOUCHSTONE_LONG=1.
 */
export function inputs(usually: number): number {
  return process.env['TOUCHSTONE_LONG'] === '1' ? LONG_RUNS : usually
}

/** Timeout of such a test in milliseconds: detects a hang, and is no measure of speed. */
export const LONG_TEST_MS = 1_800_000
