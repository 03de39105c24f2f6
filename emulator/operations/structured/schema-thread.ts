/* oxlint-disable unicorn/require-post-message-target-origin -- Node's threads have no origins. */
import { parentPort } from 'node:worker_threads'
import { generateJson, type GenerationTask } from './generate-json.ts'
import { UnsupportedSchemaError } from './prepare-schema.ts'

// This file runs in the thread that `generate-in-thread.ts` starts.

/** Result of a task: the value as JSON, or the reason why there is none. */
export type GenerationResult = { readonly json: string } | { readonly problem: string }

parentPort?.on('message', (task: GenerationTask) => parentPort?.postMessage(run(task)))
parentPort?.postMessage('ready') // The time limit of the first task starts now, not while the modules load.

function run(task: GenerationTask): GenerationResult {
  try {
    return { json: generateJson(task) }
  } catch (error) {
    if (error instanceof UnsupportedSchemaError) return { problem: error.message }
    throw error
  }
}
