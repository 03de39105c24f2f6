import { spawn } from 'node:child_process'

export interface ProgramResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface ProgramEnvironment {
  readonly cwd: string
  /** Variables to add to the environment of this process. The value undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Runs a program until it exits. Removes the environment variables that npm and vitest have set. */
export async function runProgram(
  command: readonly string[],
  { cwd, env = {} }: ProgramEnvironment,
): Promise<ProgramResult> {
  const [program = '', ...args] = command
  const own = Object.entries(process.env).filter(([name]) => !/^(?:npm_|INIT_CWD$|VITEST|NODE_ENV$)/i.test(name))
  const child = spawn(program, args, {
    cwd,
    env: { ...Object.fromEntries(own), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()))
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()))
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return { exitCode, stdout, stderr }
}

/**
 * Runs a program until it exits.
 * @throws Error with the whole output if the exit code is not 0
 */
export async function runProgramOrThrow(
  command: readonly string[],
  environment: ProgramEnvironment,
): Promise<ProgramResult> {
  const ended = await runProgram(command, environment)
  if (ended.exitCode !== 0) {
    throw new Error(`${command.join(' ')} ended with ${ended.exitCode}:\n${ended.stdout}\n${ended.stderr}`)
  }
  return ended
}
