import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConformanceDocument } from '../../reports/conformance-document.ts'

const PROGRAM = fileURLToPath(new URL('../bin.js', import.meta.url))
const SHARED_PROGRAM = fileURLToPath(new URL('shared-process.ts', import.meta.url))

export interface CliResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** The conformance document that the run wrote, or undefined if it wrote none. */
  readonly document: ConformanceDocument | undefined
}

/** Options of a command run. From the environment of this process, the command inherits only PATH. */
export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>
  onStart?(child: ChildProcess): void
}

/** Runs `touchstone` with arguments and waits until it exits. Each run writes its report into a separate directory. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-cli-'))
  const env = environmentOf(options)
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
  options.onStart?.(child)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()))
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()))
  await once(child, 'close')
  return { exitCode: child.exitCode, stdout, stderr, document: await readDocument(directory) }
}

export interface SharedProcessRequest {
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly directory: string
}

export interface SharedProcessResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

let shared: ChildProcess | undefined
let lastRun: Promise<unknown> = Promise.resolve()

/**
 * Runs `touchstone` like {@link runCli}, but in one process for all runs of a test file, because starting a process
 * takes longer than most runs. Queues concurrent calls. Does not support commands that end on a signal.
 */
export async function runCliInSharedProcess(
  args: readonly string[],
  { env }: Pick<CliOptions, 'env'> = {},
): Promise<CliResult> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-cli-'))
  const run = { args, env: environmentOf(env === undefined ? {} : { env }), directory }
  const result = lastRun.then(() => sendToShared(run))
  lastRun = result.catch(() => undefined)
  return { ...(await result), document: await readDocument(directory) }
}

async function sendToShared(run: SharedProcessRequest): Promise<SharedProcessResult> {
  shared ??= startShared()
  const child = shared
  const failure = new AbortController()
  const ended = once(child, 'exit', { signal: failure.signal }).then(([code]) => {
    throw new Error(`the shared process ended in the middle of: ${run.args.join(' ')} (exit code ${code})`)
  })
  child.send(run)
  try {
    // The cast is safe: shared-process.ts sends only messages of this type.
    const [result] = (await Promise.race([once(child, 'message'), ended])) as [SharedProcessResult]
    return result
  } finally {
    ended.catch(() => undefined)
    failure.abort()
  }
}

/** Starts the shared process, which exits when the test process disconnects. */
function startShared(): ChildProcess {
  const child = fork(SHARED_PROGRAM, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] })
  child.unref()
  child.channel?.unref()
  return child
}

function environmentOf({ env }: Pick<CliOptions, 'env'>): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', ...env }
}

async function readDocument(directory: string): Promise<ConformanceDocument | undefined> {
  const text = await readFile(join(directory, 'touchstone-report', 'conformance.json'), 'utf8').catch(() => undefined)
  // The cast is safe: the conformance command serializes this type.
  return text === undefined ? undefined : (JSON.parse(text) as ConformanceDocument)
}

/** Returns the text of standard error without lines of progress. */
export function withoutProgress(text: string): string {
  return text.replaceAll(/^(The run takes|\d+ of \d+ checks) .*\n?/gm, '')
}
