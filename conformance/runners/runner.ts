import type { CheckEntry } from '../../reports/conformance-document.ts'

/**
 * Runs the engine and reports its results. Calls `run` once, which calls back with each entry, and returns its result.
 * @param ids ids of the planned checks
 */
export type Runner = <Result>(
  ids: readonly string[],
  run: (onEntry: (entry: CheckEntry) => void) => Promise<Result>,
) => Promise<Result>

/** Runs in this thread, without vitest. */
export const plainRunner: Runner = (_ids, run) => run(() => undefined)
