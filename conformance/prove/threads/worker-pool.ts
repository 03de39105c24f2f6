/* oxlint-disable unicorn/require-post-message-target-origin -- Node's threads have no origins. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { CheckResult } from '../evaluate-mutant.ts'
import type { TaskMessage, ResultMessage, Task } from './task.ts'

/** Threads that run tasks. */
export interface WorkerPool {
  /** Number of tasks that can run in parallel. */
  readonly concurrency: number
  /** @throws Error if the run could not be made, or if a thread exited: every task settles. */
  run(task: Task): Promise<readonly CheckResult[]>
  /** Terminates the threads, even during a run. */
  close(): Promise<void>
}

/** Upper bound of the threads: more would run out of memory. */
const MAX_THREADS = 4

/** Parallel runs per thread: while one waits for a rate limit, the other continues. */
const RUNS_PER_THREAD = 2

/** Starts a thread for each core. `program` is a file that calls `runTasks`. */
export function startWorkerPool(program: URL): WorkerPool {
  const count = Math.min(availableParallelism(), MAX_THREADS)
  const members = Array.from({ length: count }, () => startMember(program))
  return {
    concurrency: count * RUNS_PER_THREAD,
    run(task) {
      const idlest = members.reduce((least, member) => (member.load() < least.load() ? member : least))
      return idlest.run(task)
    },
    close: async () => {
      await Promise.all(members.map((member) => member.close()))
    },
  }
}

/** Callbacks that settle a promise. */
interface Awaited {
  resolve(results: readonly CheckResult[]): void
  reject(error: Error): void
}

function startMember(program: URL) {
  const thread = new Worker(program)
  const awaited = new Map<number, Awaited>()
  let failure: Error | undefined
  let orders = 0
  const fail = (why: string): void => {
    failure ??= new Error(why)
    for (const { reject } of awaited.values()) reject(failure)
    awaited.clear()
  }
  thread.on('message', (reply: ResultMessage) => {
    const { resolve, reject } = awaited.get(reply.number) ?? {}
    awaited.delete(reply.number)
    if ('problem' in reply) reject?.(new Error(reply.problem))
    else resolve?.(reply.results)
  })
  thread.on('error', (error) => fail(`a thread of the proof broke down: ${error.message}`))
  thread.on('exit', (code) => fail(`a thread of the proof ended before its work, with the code ${code}`))
  return {
    load: () => awaited.size,
    close: () => thread.terminate(),
    run(task: Task): Promise<readonly CheckResult[]> {
      return new Promise((resolve, reject) => {
        if (failure !== undefined) {
          reject(failure)
          return
        }
        orders += 1
        awaited.set(orders, { resolve, reject })
        thread.postMessage({ number: orders, task } satisfies TaskMessage)
      })
    },
  }
}
