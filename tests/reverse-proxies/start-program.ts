import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../common/testing/free-port.ts'

/** A reverse proxy on the loopback interface; disposal stops it. */
export interface ReverseProxy extends AsyncDisposable {
  /** Base URL without a trailing slash. */
  readonly url: string
}

export interface ProxyProgram {
  readonly command: string
  readonly arguments: (configuration: string, directory: string) => readonly string[]
  readonly configuration: (port: number, directory: string) => string
}

/** Maximum time until the program accepts connections. */
const MAX_START_MS = 20_000

export function isInstalled(command: string): boolean {
  return spawnSync(command, ['-v']).status === 0
}

/**
 * Starts a reverse proxy in a new directory, and waits until it accepts connections.
 * @throws Error with the program's output if it exits first or exceeds the time limit
 */
export async function startReverseProxy(program: ProxyProgram): Promise<ReverseProxy> {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-proxy-'))
  const port = await findFreePort()
  const file = join(directory, 'proxy.conf')
  writeFileSync(file, program.configuration(port, directory))
  const child = spawn(program.command, program.arguments(file, directory), { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()))
  const ended = once(child, 'close')
  const close = async (): Promise<void> => {
    if (child.exitCode === null) child.kill('SIGTERM')
    await ended
    rmSync(directory, { recursive: true })
  }
  const deadlineMs = performance.now() + MAX_START_MS
  while (!(await listens(port))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      await close()
      throw new Error(`${program.command} did not start: ${output}`)
    }
    await sleep(20)
  }
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}
