import type { CheckResult } from '../evaluate-mutant.ts'

/** A run of checks against a mutant. */
export interface Task {
  /** Id of the mutant. Default: no mutant. */
  readonly mutant?: string
  /** Ids of the checks. An empty list means the whole suite. */
  readonly only: readonly string[]
}

/** Message from the main thread to a worker thread. */
export interface TaskMessage {
  readonly number: number
  readonly task: Task
}

/** Message from a worker thread: the results of a task, or the reason why the task failed. */
export type ResultMessage =
  | { readonly number: number; readonly results: readonly CheckResult[] }
  | { readonly number: number; readonly problem: string }
