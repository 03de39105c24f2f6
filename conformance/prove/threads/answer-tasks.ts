/* oxlint-disable unicorn/require-post-message-target-origin -- Node's ports have no origins. */
import { parentPort } from 'node:worker_threads'
import type { Defect } from '../defect.ts'
import { judgeTarget } from '../judge-target.ts'
import type { Order, Reply } from './task.ts'

/** Makes this thread one of a team that tries these defects. Functions do not cross threads: the table is the thread's own. */
export function answerTasks(table: readonly Defect[]): void {
  const defects = new Map(table.map((defect) => [defect.id, defect]))
  parentPort?.on('message', ({ number, task }: Order) => {
    const defect = task.defect === undefined ? undefined : defects.get(task.defect)
    judgeTarget(defect, task.only)
      .then(
        (findings): Reply => ({ number, findings }),
        (error: unknown): Reply => ({ number, problem: error instanceof Error ? error.message : String(error) }),
      )
      .then((reply) => parentPort?.postMessage(reply))
  })
}
