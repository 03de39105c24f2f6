import { spawn } from 'node:child_process'

export interface ProgramOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
}

/** Output and exit code of a program. `exitCode` is null if the program did not start or a signal terminated it. */
export interface ProgramResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program until it exits. Never rejects. */
export function runProgram(program: string, args: readonly string[], options: ProgramOptions): Promise<ProgramResult> {
  const { signal, ...others } = options
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...others,
      ...(signal === undefined ? {} : { signal }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (data: Buffer) => (stdout += data.toString()))
    child.stderr.on('data', (data: Buffer) => (stderr += data.toString()))
    child.on('error', (error) => resolve({ exitCode: null, stdout, stderr: stderr + error.message }))
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
  })
}
