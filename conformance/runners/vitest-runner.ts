/* oxlint-disable unicorn/require-post-message-target-origin, unicorn/prefer-add-event-listener -- Node's channels have no origins, and type no listeners. */
import { randomUUID } from 'node:crypto'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BroadcastChannel } from 'node:worker_threads'
import type { Reporter } from 'vitest/node'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import { isOutOfTime } from '../engine/time-limit.ts'
import type { RunFacts } from '../engine/open-run.ts'
import { InvalidOptionError } from '../invalid-option-error.ts'
import type { Front, RunProgress } from './runner.ts'
import { INTERRUPT, OUT_OF_TIME, type SuiteMessage } from './vitest-messages.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
// What this file is compiled to in the package, that one is, too.
const SUITE_FILE = `conformance/runners/vitest-entry${extname(fileURLToPath(import.meta.url))}`

/** @throws InvalidOptionError that says what to install, where vitest is not */
export async function needVitest(): Promise<void> {
  await import('vitest/node').catch(() => {
    throw new InvalidOptionError({ reason: 'missing-package', package: 'vitest', option: 'runner' })
  })
}

/** The front that runs the same checks as vitest tests, one test per check, in one thread of this process. */
export const vitestFront: Front = async (settings, { signal, onProgress }) => {
  // Loaded here only: the installed command runs without vitest.
  const { startVitest } = await import('vitest/node')
  const name = randomUUID()
  const interrupt = (): void => inbox.channel.postMessage(isOutOfTime(signal) ? OUT_OF_TIME : INTERRUPT)
  const inbox = listen(name, { onProgress, onBegin: () => (signal.aborted ? interrupt() : undefined) })
  signal.addEventListener('abort', interrupt)
  const complaints: string[] = []
  const vitest = await startVitest(
    'test',
    [],
    {
      root: PROJECT,
      config: false,
      watch: false,
      include: [SUITE_FILE],
      reporters: [quietReporter(complaints)],
      // One thread of this process with native imports: starts in a fraction of the time, and shares no environment.
      pool: 'threads',
      maxWorkers: 1,
      isolate: false,
      fileParallelism: false,
      maxConcurrency: settings.concurrency,
      testTimeout: 0,
      hookTimeout: 0,
      experimental: { viteModuleRunner: false, nodeLoader: false },
      provide: { touchstone: { settings, channel: name } },
    },
    { logLevel: 'silent' },
  )
  await vitest.close()
  signal.removeEventListener('abort', interrupt)
  await inbox.close()
  if (inbox.facts() === undefined && complaints.length > 0) {
    throw new Error(complaints[0])
  }
  return { entries: inbox.entries, facts: inbox.facts() }
}

interface Listener {
  /** The suite is there, and hears what it is told. */
  onBegin(): void
  onProgress(progress: RunProgress): void
}

function listen(name: string, { onBegin, onProgress }: Listener) {
  const channel = new BroadcastChannel(name)
  const entries: CheckEntry[] = []
  let facts: RunFacts | undefined
  channel.onmessage = ({ data }: { readonly data: SuiteMessage }) => {
    if (data.kind === 'begin') {
      onBegin()
    } else if (data.kind === 'end') {
      facts = data.facts
    } else {
      entries.push(data.entry)
      onProgress({ done: entries.length, total: data.total })
    }
  }
  const close = async (): Promise<void> => {
    // What the suite sent before vitest ended is queued by now: one turn of the loop delivers it.
    await new Promise((resolve) => setImmediate(resolve))
    channel.close()
  }
  return { channel, entries, facts: () => facts, close }
}

/** Prints nothing: what a person reads is made from the document, the same for every front. */
function quietReporter(complaints: string[]): Reporter {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const listenersBefore = new Set(signals.flatMap((name) => process.listeners(name)))
  return {
    onInit() {
      // vitest would end the process on Ctrl-C; the run ends by itself instead, with a partial document.
      for (const name of signals) {
        const added = process.listeners(name).filter((listener) => !listenersBefore.has(listener))
        added.forEach((listener) => process.off(name, listener))
      }
    },
    onTestRunEnd(modules, errors) {
      const all = [...errors, ...modules.flatMap((module) => module.errors())]
      complaints.push(...all.map((error) => error.message))
    },
  }
}
