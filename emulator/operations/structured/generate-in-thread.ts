/* oxlint-disable unicorn/require-post-message-target-origin -- Node's threads have no origins. */
import { once } from 'node:events'
// A test with fake timers replaces the global function, and would exceed the time limit when it advances the time.
import { setTimeout } from 'node:timers'
import { Worker } from 'node:worker_threads'
import type { GenerationTask } from './generate-json.ts'
import { UnsupportedSchemaError } from './prepare-schema.ts'
import type { GenerationResult } from './schema-thread.ts'

/** Time limit for one value in milliseconds. A schema can make a regular expression run for ever. */
const MAX_MS = 5000
/** Memory limit of the thread in megabytes. A pattern such as `a{1000000000}` exceeds it. */
const MAX_HEAP_MB = 256

let thread: Promise<Worker> | undefined
let queue: Promise<unknown> = Promise.resolve()

/**
 * Generates a value that conforms to a schema, as compact JSON. Uses a thread, because a schema can occupy it for
 * seconds, and only a thread can be terminated. The thread handles one task at a time.
 * @throws UnsupportedSchemaError if no valid value is found within the limits
 */
export function generateInThread(task: GenerationTask, maxMs = MAX_MS): Promise<string> {
  const result = queue.then(() => runTask(task, maxMs))
  queue = result.catch(() => undefined)
  return result
}

async function runTask(task: GenerationTask, maxMs: number): Promise<string> {
  thread ??= startThread()
  const result = await thread
    .then((worker) => sendTask(worker, task, maxMs))
    .catch(async (error: unknown) => {
      const failed = thread
      thread = undefined
      await failed?.then((worker) => worker.terminate()).catch(() => undefined)
      return describeFailure(error, maxMs)
    })
  if ('json' in result) return result.json
  throw new UnsupportedSchemaError(result.problem)
}

async function sendTask(worker: Worker, task: GenerationTask, maxMs: number): Promise<GenerationResult> {
  worker.ref() // Keeps the process running until the task ends.
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), maxMs)
  try {
    const received = once(worker, 'message', { signal: limit.signal })
    worker.postMessage(task)
    const [result] = (await received) as [GenerationResult] // The thread sends one result for each task.
    return result
  } finally {
    clearTimeout(timer)
    worker.unref()
  }
}

async function startThread(): Promise<Worker> {
  const worker = new Worker(new URL('./schema-thread.ts', import.meta.url), {
    execArgv: [], // The options of the process can be invalid for a file, for example `--input-type`.
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  // Without a listener, an error between two tasks would end the process.
  worker.on('error', () => undefined)
  await once(worker, 'message')
  worker.unref()
  return worker
}

/** @throws the error, unless the thread exceeded a limit */
function describeFailure(error: unknown, maxMs: number): { readonly problem: string } {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ABORT_ERR') return { problem: `takes more than ${maxMs / 1000} s to generate a value` }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return { problem: `needs more than ${MAX_HEAP_MB} MB to generate a value` }
  throw error
}
