import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../common/testing/free-port.ts'

/** A server on the loopback interface; disposal stops it. */
export interface RunningServer extends AsyncDisposable {
  /** Base URL without a trailing slash. */
  readonly url: string
}

export interface ServerCommand {
  readonly command: string
  readonly arguments: (port: number) => readonly string[]
  readonly directory: string
  readonly environment?: (port: number) => Readonly<Record<string, string>>
  /** Whether the server returns 404 to every request until it has read its configuration. */
  readonly isNotFoundFirst?: true
}

/** Maximum time from the start of a server to its first response. Some servers load modules for half a minute. */
const MAX_START_MS = 180_000
const POLL_MS = 250
/** Maximum time from SIGTERM until a server exits. A slower server is killed. */
const MAX_STOP_MS = 5_000
const MAX_OUTPUT_CHARACTERS = 4_000

/**
 * Starts a server and waits until it responds to a request with any status, or with any except 404.
 * @throws Error with the end of its output if it exits first or exceeds the time limit
 */
export async function startServer({
  command,
  arguments: list,
  directory,
  environment,
  isNotFoundFirst,
}: ServerCommand): Promise<RunningServer> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const env = { ...process.env, ...environment?.(port) }
  const child = spawn(command, list(port), { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const keep = (bytes: Buffer): void => {
    output = (output + bytes.toString()).slice(-MAX_OUTPUT_CHARACTERS)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const ended = once(child, 'close')
  const close = async (): Promise<void> => {
    const kill = setTimeout(() => child.kill('SIGKILL'), MAX_STOP_MS)
    if (child.exitCode === null) child.kill('SIGTERM')
    await ended
    clearTimeout(kill)
  }
  const deadlineMs = performance.now() + MAX_START_MS
  while (!(await hasStarted(url, isNotFoundFirst === true))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      await close()
      throw new Error(`${command} did not start: ${output}`)
    }
    await sleep(POLL_MS)
  }
  return { url, [Symbol.asyncDispose]: close }
}

async function hasStarted(url: string, isNotFoundFirst: boolean): Promise<boolean> {
  return fetch(`${url}/v1/models`, { signal: AbortSignal.timeout(MAX_STOP_MS) }).then(
    ({ status }) => !isNotFoundFirst || status !== 404,
    () => false,
  )
}
