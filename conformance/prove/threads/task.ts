import type { ComparedResult } from '../evaluate-mutant.ts'

export interface MutantTask {
  /** ID of the mutant. */
  readonly mutant: string
  /** IDs of the checks. An empty list selects the whole suite. */
  readonly only: readonly string[]
}

/** Message from the main thread to a worker thread. */
export interface TaskMessage {
  readonly number: number
  readonly task: MutantTask
}

/** Message from a worker thread: the results of a task, or the reason why it failed. */
export type ResultMessage =
  | { readonly number: number; readonly results: readonly ComparedResult[] }
  | { readonly number: number; readonly problem: string }
