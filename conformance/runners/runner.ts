import type { CheckEntry } from '../../reports/conformance-document.ts'

/**
 * Runs the engine and reports its results. A runner calls `run` once and returns its result. `run` calls `onEntry` with
 * the entry of each check.
 * @param ids IDs of the planned checks
 * @param signal aborted when the run ends early
 */
export type Runner = <Result>(
  ids: readonly string[],
  run: (onEntry: (entry: CheckEntry) => void) => Promise<Result>,
  signal: AbortSignal,
) => Promise<Result>

/** Runs the engine without a test framework. */
export const directRunner: Runner = (_ids, run) => run(() => undefined)
