import { type ChildProcess, spawn } from 'node:child_process'

export interface ProgramOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Kills the program and its child processes when aborted. */
  readonly signal?: AbortSignal | undefined
  onStderr?(text: string): void
}

/** Output and exit code of a program. `exitCode` is null if the program did not start or a signal terminated it. */
export interface ProgramResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program until it exits. Never rejects. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { signal, onStderr, ...options }: ProgramOptions,
): Promise<ProgramResult> {
  const child = spawn(program, args, { ...options, ...OWN_GROUP, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()))
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString()
    onStderr?.(data.toString())
  })
  const { exitCode, problem } = await waitForExit(child, { signal, stopWith: 'SIGKILL' })
  return { exitCode, stdout, stderr: stderr + (problem?.message ?? '') }
}

/**
 * Options of `spawn` for a program with its own process group. Otherwise, the terminal would also send Ctrl-C to the
 * program, and the child processes of a killed program would continue.
 */
export const OWN_GROUP = {
  detached: true,
  windowsHide: true, // On Windows, a detached process would open a console window.
} as const

/** Time from `stopWith` until a program is killed that does not exit. */
const MAX_STOP_MS = 10_000

/**
 * Waits until a program of an own process group exits. Signals the group with `stopWith` when `signal` aborts, kills a
 * group that does not exit then, and kills it when this process exits.
 * @returns `problem` if the program could not be started
 */
export async function waitForExit(
  child: ChildProcess,
  { signal, stopWith }: { readonly signal: AbortSignal | undefined; readonly stopWith: 'SIGINT' | 'SIGKILL' },
): Promise<{ readonly exitCode: number | null; readonly problem?: NodeJS.ErrnoException }> {
  let timer: NodeJS.Timeout | undefined
  const kill = () => signalGroup(child, 'SIGKILL')
  const stop = () => {
    signalGroup(child, stopWith)
    timer = setTimeout(kill, MAX_STOP_MS)
  }
  if (signal?.aborted === true) stop()
  signal?.addEventListener('abort', stop)
  process.on('exit', kill)
  try {
    return await new Promise((resolve) => {
      child.on('error', (problem) => resolve({ exitCode: null, problem }))
      child.on('close', (exitCode) => resolve({ exitCode }))
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    process.off('exit', kill)
  }
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(name)
    else process.kill(-child.pid, name)
  } catch {
    // The group has ended.
  }
}
