/* oxlint-disable unicorn/require-post-message-target-origin, unicorn/prefer-add-event-listener -- Node's channels have no origins, and type no listeners. */
import { randomUUID } from 'node:crypto'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BroadcastChannel } from 'node:worker_threads'
import type { Reporter } from 'vitest/node'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import type { Runner } from './runner.ts'
import { READY_MESSAGE, type ResultMessage } from './vitest-channel.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
// Uses the extension of this file, because both files are JavaScript in the published package.
const SUITE_FILE = `conformance/runners/vitest-suite${extname(fileURLToPath(import.meta.url))}`

/** @throws InvalidOptionError that names the package, if vitest is not installed */
export async function requireVitest(): Promise<void> {
  await import('vitest/node').catch(() => {
    throw new InvalidOptionError({ reason: 'missing-package', package: 'vitest', option: 'runner' })
  })
}

/**
 * Reports each check as a vitest test in a thread of this process. The tests wait for the results that the engine
 * sends.
 */
export const vitestRunner: Runner = async (ids, run, signal) => {
  // The import is dynamic because the direct runner works without vitest.
  const { startVitest } = await import('vitest/node')
  const name = randomUUID()
  const channel = new BroadcastChannel(name)
  const ready = Promise.withResolvers<void>()
  const post = (message: ResultMessage): void => channel.postMessage(message)
  let isReady = false
  channel.onmessage = ({ data }: { readonly data: unknown }) => {
    if (data !== READY_MESSAGE) return
    isReady = true
    ready.resolve()
    if (signal.aborted) post({ kind: 'end' })
  }
  const stopWaiting = () => ready.resolve()
  signal.addEventListener('abort', stopWaiting)
  if (signal.aborted) stopWaiting()
  const problems: string[] = []
  process.on('newListener', removeSignalListener)
  const finished = startVitest(
    'test',
    [],
    {
      root: PROJECT,
      config: false,
      watch: false,
      include: [SUITE_FILE],
      reporters: [silentReporter(problems)],
      // A single thread with native imports starts fastest.
      pool: 'threads',
      maxWorkers: 1,
      isolate: false,
      fileParallelism: false,
      testTimeout: 0,
      hookTimeout: 0,
      experimental: { viteModuleRunner: false, nodeLoader: false },
      provide: { touchstone: { ids, channel: name } },
    },
    { logLevel: 'silent' },
  )
  try {
    await Promise.race([
      ready.promise,
      finished.then(() => Promise.reject(new Error(problems[0] ?? 'Vitest ran no tests'))),
    ])
    return await run(({ id, verdict, actual }) => post({ kind: 'result', result: { id, verdict, actual } }))
  } finally {
    signal.removeEventListener('abort', stopWaiting)
    post({ kind: 'end' })
    const closed = finished
      .then((vitest) => vitest.close())
      .finally(() => {
        process.off('newListener', removeSignalListener)
        channel.close()
      })
    // After an abort, the results do not wait for vitest, which may still be starting.
    if (isReady || !signal.aborted) await closed
    else closed.catch(() => undefined)
  }
}

/** Removes each listener of a signal as soon as vitest adds it. Otherwise, it would end the process without a report. */
function removeSignalListener(name: string | symbol, listener: (...args: unknown[]) => void): void {
  // Node emits this event before it adds the listener.
  if (/^SIG(?:INT|TERM|HUP)$/.test(String(name))) queueMicrotask(() => process.off(name, listener))
}

/** Creates a reporter that prints nothing, because the console report is built from the document with every runner. */
function silentReporter(problems: string[]): Reporter {
  return {
    onTestRunEnd(modules, errors) {
      const all = [...errors, ...modules.flatMap((module) => module.errors())]
      problems.push(...all.map((error) => error.message))
    },
  }
}
