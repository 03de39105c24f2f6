/* oxlint-disable unicorn/require-post-message-target-origin -- Node's threads have no origins. */
import { once } from 'node:events'
// A test with fake timers replaces the global function, and would exceed the time limit when it advances the time.
import { setTimeout } from 'node:timers'
import { Worker } from 'node:worker_threads'
import type { ApiError } from '../../core/api-errors.ts'
import { ClientDisconnectedError } from '../../core/request-context.ts'
import type { RequestClient } from '../operation.ts'
import type { GenerationTask } from './generate-json.ts'
import { UnsupportedSchemaError } from './prepare-schema.ts'
import type { GenerationResult } from './schema-thread.ts'

/** Time limit for one value in milliseconds. A schema can make a regular expression run for ever. */
const MAX_MS = 5000
/** Memory limit of the thread in megabytes. A pattern such as `a{1000000000}` exceeds it. */
const MAX_HEAP_MB = 256

/** Maximum number of waiting tasks of an account. */
export const MAX_WAITING = 1000
const QUEUE_FULL: ApiError = {
  code: 'rate-limited',
  message: `${MAX_WAITING} values from JSON Schemas are already waiting for this account.`,
  retryAfterMs: 1000,
}

let thread: Promise<Worker> | undefined
/** Waiting tasks by account. Each function runs its task. The first account has the next turn. */
const queues = new Map<object | undefined, Set<() => Promise<void>>>()
let isRunning = false

/**
 * Generates a value that conforms to a schema, as compact JSON. Uses a thread, because a schema can occupy it for
 * seconds, and only a thread can be terminated. The thread handles one task at a time, and accounts take turns.
 * @returns the value, or an error (429) if MAX_WAITING tasks of the account wait
 * @throws UnsupportedSchemaError if no valid value is found within the limits
 * @throws ClientDisconnectedError if the client disconnects first. Its task leaves the queue, or ends with the thread.
 */
export async function generateInThread(
  task: GenerationTask,
  { keyOwner, signal }: RequestClient,
  maxMs = MAX_MS,
): Promise<string | ApiError> {
  if (signal.aborted) throw new ClientDisconnectedError()
  const queue = queues.get(keyOwner) ?? new Set()
  if (queue.size >= MAX_WAITING) return QUEUE_FULL
  queues.set(keyOwner, queue)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const turn = () => runTask(task, signal, maxMs).then(resolve, reject)
  queue.add(turn)
  signal.addEventListener('abort', () => {
    if (queue.delete(turn)) reject(new ClientDisconnectedError())
  })
  void runQueues()
  return promise
}

async function runQueues(): Promise<void> {
  if (isRunning) return
  isRunning = true
  for (const [account, queue] of queues) {
    queues.delete(account)
    const [turn] = queue
    if (turn === undefined) continue // The clients of all its tasks have disconnected.
    queue.delete(turn)
    if (queue.size > 0) queues.set(account, queue) // Moves the account to the end, which this loop also reaches.
    await turn()
  }
  isRunning = false
}

async function runTask(task: GenerationTask, signal: AbortSignal, maxMs: number): Promise<string> {
  thread ??= startThread()
  const result = await thread
    .then((worker) => (signal.aborted ? undefined : sendTask(worker, task, signal, maxMs)))
    .catch(async (error: unknown) => {
      const failed = thread
      thread = undefined
      await failed?.then((worker) => worker.terminate()).catch(() => undefined)
      return signal.aborted ? undefined : describeFailure(error, maxMs)
    })
  if (result === undefined) throw new ClientDisconnectedError()
  if ('json' in result) return result.json
  throw new UnsupportedSchemaError(result.problem)
}

async function sendTask(
  worker: Worker,
  task: GenerationTask,
  signal: AbortSignal,
  maxMs: number,
): Promise<GenerationResult> {
  worker.ref() // Keeps the process running until the task ends.
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), maxMs)
  try {
    const received = once(worker, 'message', { signal: AbortSignal.any([limit.signal, signal]) })
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
function describeFailure(error: unknown, maxMs: number): GenerationResult {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const limit = code === 'ABORT_ERR' ? `takes more than ${maxMs / 1000} s` : `needs more than ${MAX_HEAP_MB} MB`
  if (code !== 'ABORT_ERR' && code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
  return { problem: `${limit} to generate a value` }
}
