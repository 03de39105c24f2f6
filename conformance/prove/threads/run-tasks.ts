/* oxlint-disable unicorn/require-post-message-target-origin -- Node's ports have no origins. */
import { parentPort } from 'node:worker_threads'
import type { Mutant } from '../../mutation/mutant.ts'
import { runMutant } from '../run-mutant.ts'
import type { MutantTask, TaskMessage, ResultMessage } from './task.ts'

/** Runs the tasks that the main thread posts. Functions cannot be posted, so a task contains the mutant's ID. */
export function runTasks(table: readonly Mutant[]): void {
  const mutants = new Map(table.map((mutant) => [mutant.id, mutant]))
  const runTask = async ({ mutant: id, only }: MutantTask) => {
    const mutant = mutants.get(id)
    if (mutant === undefined) throw new Error(`the worker thread does not know the mutant ${id}`)
    return runMutant(mutant, only)
  }
  parentPort?.on('message', ({ number, task }: TaskMessage) => {
    runTask(task)
      .then(
        (results): ResultMessage => ({ number, results }),
        (error: unknown): ResultMessage => ({
          number,
          problem: error instanceof Error ? error.message : String(error),
        }),
      )
      .then((reply) => parentPort?.postMessage(reply))
  })
}
