import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

/** A running `touchstone emulator`, and the message that it prints when it is ready. */
export interface EmulatorProcess {
  readonly child: ChildProcess
  readonly url: string
  readonly line: string
}

/**
 * Starts `touchstone emulator`, or another command, and waits for its ready message. Stops the process after the test,
 * even if the test fails.
 */
export async function startEmulatorProcess(
  args: readonly string[],
  command: readonly string[] = [process.execPath, join(REPOSITORY, 'cli/bin.js'), 'emulator'],
): Promise<EmulatorProcess> {
  const [program = '', ...rest] = [...command, ...args]
  const child = spawn(program, rest, { cwd: REPOSITORY, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let received = ''
  for await (const data of child.stdout ?? []) {
    received += String(data)
    const line = received.split('\n').find((text) => text.includes('ready at'))
    const url = /ready at (\S+)/.exec(line ?? '')?.[1]
    if (line !== undefined && url !== undefined) return { child, url, line }
  }
  throw new Error(`the emulator ended before it was ready: ${received}`)
}
