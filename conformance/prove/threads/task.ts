import type { ComparedResult } from '../evaluate-mutant.ts'

export interface MutantTask {
  readonly mutant: string
  /** IDs of the checks. An empty list selects the whole suite. */
  readonly only: readonly string[]
}

export interface TaskMessage {
  readonly number: number
  readonly task: MutantTask
}

/** Message from a worker thread: the results of a task, or the reason why it failed. */
export type ResultMessage =
  | { readonly number: number; readonly results: readonly ComparedResult[] }
  | { readonly number: number; readonly problem: string }
