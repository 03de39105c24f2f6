import type { CheckEntry } from '../../reports/conformance-document.ts'

/**
 * Reports a run somewhere. It calls `run` once, which runs the engine and calls back with each entry, and returns its
 * result.
 * @param ids ids of the planned checks
 */
export type Runner = <Result>(
  ids: readonly string[],
  run: (onEntry: (entry: CheckEntry) => void) => Promise<Result>,
) => Promise<Result>

/** Runs in this thread, without vitest. */
export const plainRunner: Runner = (_ids, run) => run(() => undefined)
