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
export const vitestRunner: Runner = async (ids, run) => {
  // The import is dynamic because the direct runner works without vitest.
  const { startVitest } = await import('vitest/node')
  const name = randomUUID()
  const channel = new BroadcastChannel(name)
  const ready = Promise.withResolvers<void>()
  channel.onmessage = ({ data }: { readonly data: unknown }) => {
    if (data === READY_MESSAGE) ready.resolve()
  }
  const post = (message: ResultMessage): void => channel.postMessage(message)
  const problems: string[] = []
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
    post({ kind: 'end' })
    const vitest = await finished
    await vitest.close()
    channel.close()
  }
}

/** Creates a reporter that prints nothing, because the console report is built from the document with every runner. */
function silentReporter(problems: string[]): Reporter {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const listenersBefore = new Set(signals.flatMap((name) => process.listeners(name)))
  return {
    onInit() {
      // Removes the listeners of vitest, which would terminate the process on Ctrl-C. Without them, the run ends with a
      // partial document.
      for (const name of signals) {
        const added = process.listeners(name).filter((listener) => !listenersBefore.has(listener))
        added.forEach((listener) => process.off(name, listener))
      }
    },
    onTestRunEnd(modules, errors) {
      const all = [...errors, ...modules.flatMap((module) => module.errors())]
      problems.push(...all.map((error) => error.message))
    },
  }
}
