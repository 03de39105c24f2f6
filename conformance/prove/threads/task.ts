import type { CheckResult } from '../evaluate-mutant.ts'

/** One run: checks against a mutant. */
export interface Task {
  /** Id of the mutant; without one the wire is left as it is. */
  readonly mutant?: string
  /** Ids of checks; none means the whole suite. */
  readonly only: readonly string[]
}

/** A task on its way to a thread. */
export interface TaskMessage {
  readonly number: number
  readonly task: Task
}

/** The results of a run, or why it could not be made. */
export type ResultMessage =
  | { readonly number: number; readonly results: readonly CheckResult[] }
  | { readonly number: number; readonly problem: string }
