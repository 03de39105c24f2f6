/* oxlint-disable unicorn/require-post-message-target-origin -- Node's threads have no origins. */
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ComparedResult } from '../evaluate-mutant.ts'
import type { TaskMessage, ResultMessage, MutantTask } from './task.ts'

export interface WorkerPool {
  readonly concurrency: number
  /** Runs a task on the least busy thread. Throws if the run fails or the thread exits. */
  run(task: MutantTask): Promise<readonly ComparedResult[]>
  close(): Promise<void>
}

/** Maximum number of threads. More threads would exhaust the memory of a typical CI machine. */
const MAX_THREADS = 4

/** Number of tasks that a thread runs in parallel. While one task waits, the others continue. */
const RUNS_PER_THREAD = 4

/** Starts one thread per CPU core, up to `MAX_THREADS` and one per task. `program` calls `runTasks`. */
export function startWorkerPool(program: URL, tasks: number): WorkerPool {
  const count = Math.min(availableParallelism(), MAX_THREADS, tasks)
  const workers = Array.from({ length: count }, () => startWorker(program))
  return {
    concurrency: count * RUNS_PER_THREAD,
    run(task) {
      const leastBusy = workers.reduce((least, member) => (member.load() < least.load() ? member : least))
      return leastBusy.run(task)
    },
    close: async () => {
      await Promise.all(workers.map((member) => member.close()))
    },
  }
}

interface PendingTask {
  resolve(results: readonly ComparedResult[]): void
  reject(error: Error): void
}

function startWorker(program: URL) {
  // Each thread loads hundreds of modules. With a cache, each is compiled once per machine.
  const env = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache', 'touchstone-threads'), ...process.env }
  const thread = new Worker(program, { env })
  const pending = new Map<number, PendingTask>()
  let failure: Error | undefined
  let lastTaskNumber = 0
  const fail = (why: string): void => {
    failure ??= new Error(why)
    for (const { reject } of pending.values()) reject(failure)
    pending.clear()
  }
  thread.on('message', (reply: ResultMessage) => {
    const { resolve, reject } = pending.get(reply.number) ?? {}
    pending.delete(reply.number)
    if ('problem' in reply) reject?.(new Error(reply.problem))
    else resolve?.(reply.results)
  })
  thread.on('error', (error) => fail(`a worker thread of prove failed: ${error.message}`))
  thread.on('exit', (code) => fail(`a worker thread of prove exited with code ${code}`))
  return {
    load: () => pending.size,
    close: () => thread.terminate(),
    run(task: MutantTask): Promise<readonly ComparedResult[]> {
      return new Promise((resolve, reject) => {
        if (failure !== undefined) {
          reject(failure)
          return
        }
        lastTaskNumber += 1
        pending.set(lastTaskNumber, { resolve, reject })
        thread.postMessage({ number: lastTaskNumber, task } satisfies TaskMessage)
      })
    },
  }
}
