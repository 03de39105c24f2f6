import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const PROGRAM = join(ROOT, 'cli/bin.js')
/** Node's compile cache. All commands share it, because compiling the modules takes longer than most phases. */
const COMPILED = join(tmpdir(), 'compiled-for-signals')
const POLL_MS = 20
/** Only a hang exceeds this time, not a busy machine. */
const MAX_WAIT_MS = 60_000
/** Environment variable that all processes of a command inherit. */
const MARK = 'PROCESSES_OF_TEST'

export interface Interruption {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Command that starts touchstone. Default: this Node.js. */
  readonly program?: readonly string[]
  readonly signal: (typeof SIGNALS)[number]
  /**
   * Returns whether the command has reached the phase to interrupt.
   * @param output output of the command so far
   * @param out directory of reports
   */
  isReached(output: string, out: string): boolean
  /** Whether a second signal follows, more than a second after the first. */
  readonly isRepeated?: boolean
}

export interface InterruptedCommand {
  readonly exitCode: number | null
  readonly signalCode: NodeJS.Signals | null
  readonly output: string
  /** Paths of the files in the directory of reports. */
  readonly written: readonly string[]
  /** Processes and temporary files that the command left. */
  readonly left: readonly string[]
  /** Time from the (last) signal to the exit, in milliseconds. */
  readonly exitMs: number
}

/**
 * Runs a command with its own temporary directory, working directory and cache, and sends it a signal when it has
 * reached a phase. `OUT` at the start of an argument stands for the directory of reports.
 */
export async function interruptCommand(interruption: Interruption): Promise<InterruptedCommand> {
  const { args, env = {}, program = [process.execPath, PROGRAM], signal, isRepeated = false } = interruption
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-signals-'))
  const [temporary, out, cache] = ['tmp', 'out', 'cache'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [temporary, out, cache]) mkdirSync(path)
  mkdirSync(COMPILED, { recursive: true })
  symlinkSync(COMPILED, join(temporary, 'node-compile-cache'))
  const mark = randomUUID()
  const [file = '', ...words] = [...program, ...args.map((word) => word.replace(/^OUT\b/, out))]
  const child = spawn(file, words, {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      HOME: directory,
      TMPDIR: temporary,
      TOUCHSTONE_CACHE: cache,
      ...env,
      [MARK]: mark,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (data: Buffer) => (output += data.toString())
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  let isEnded = false
  const ended = once(child, 'close').then(() => (isEnded = true))
  const until = async (isMet: () => boolean): Promise<void> => {
    const start = performance.now()
    while (!isEnded && performance.now() - start < MAX_WAIT_MS && !isMet()) await wait(POLL_MS)
  }
  await until(() => interruption.isReached(output, out))
  let sentMs = performance.now()
  child.kill(signal)
  if (isRepeated) {
    await Promise.race([wait(1200), ended])
    sentMs = performance.now()
    child.kill(signal)
  }
  await until(() => false)
  const exitMs = performance.now() - sentMs
  // The system may need a moment to end child processes that were killed.
  let left: string[] = []
  const hasLeft = () =>
    (left = [...listProcesses(mark), ...listTemporaryFiles(temporary), ...listTemporaryFiles(cache)])
  const since = performance.now()
  while (hasLeft().length > 0 && performance.now() - since < (isEnded ? 5000 : 0)) await wait(POLL_MS)
  for (const line of listProcesses(mark)) process.kill(Number(line.split(' ')[0]), 'SIGKILL')
  await ended
  return {
    exitCode: child.exitCode,
    signalCode: child.signalCode,
    output,
    written: readdirSync(out, { recursive: true, encoding: 'utf8' }).toSorted(),
    left,
    exitMs,
  }
}

/** Lists the processes of a command by the variable that they inherit. Returns none on systems without /proc. */
function listProcesses(mark: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const isOwn = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${MARK}=${mark}`)
      return isOwn ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)}`] : []
    } catch {
      return [] // The process has ended, or belongs to another user.
    }
  })
}

/** Lists temporary files. Node's compile cache remains, because later runs use it. */
function listTemporaryFiles(directory: string): string[] {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => !path.startsWith('node-compile-cache') && /tmp|touchstone|go-build/.test(path))
}
