import type { CheckResult } from '../evaluate-mutant.ts'

/** One run: checks against a mutant. */
export interface Task {
  /** Id of the mutant. Without one, requests and responses are unchanged. */
  readonly mutant?: string
  /** Ids of checks; empty means the whole suite. */
  readonly only: readonly string[]
}

/** Message with a task for a thread. */
export interface TaskMessage {
  readonly number: number
  readonly task: Task
}

/** Message with the results of a run, or with the reason for its failure. */
export type ResultMessage =
  | { readonly number: number; readonly results: readonly CheckResult[] }
  | { readonly number: number; readonly problem: string }
