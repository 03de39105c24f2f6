import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface ServerProcess {
  readonly pid: number
  readonly url: string
  stop(): Promise<void>
}

const BUILD = fileURLToPath(new URL('../packaging/build.ts', import.meta.url))
const PACKAGED_COMMAND_LINE = fileURLToPath(new URL('../dist/cli/bin.js', import.meta.url))
const COMMAND_LINE = fileURLToPath(new URL('../cli/bin.js', import.meta.url))
const BARE_STREAMS = fileURLToPath(new URL('./bare-streams.ts', import.meta.url))

/** Starts the emulator from the TypeScript sources. */
export function startEmulatorProcess(flags: readonly string[]): Promise<ServerProcess> {
  return startServer([COMMAND_LINE, 'emulator', '--port', '0', ...flags])
}

/** Compiles the sources to `dist/`, as `npm pack` does. */
export function buildPackage(): void {
  execFileSync(process.execPath, [BUILD], { stdio: 'inherit' })
}

/** Starts the emulator of the package that {@link buildPackage} has built. */
export function startPackagedEmulator(flags: readonly string[]): Promise<ServerProcess> {
  return startServer([PACKAGED_COMMAND_LINE, 'emulator', '--port', '0', ...flags])
}

/**
 * Starts a bare node:http server that streams `events` events. It writes the first event after `ttftMs`, and then one
 * event every `itlMs`.
 */
export function startBareStreamServer(ttftMs: number, itlMs: number, events: number): Promise<ServerProcess> {
  return startServer([BARE_STREAMS, String(ttftMs), String(itlMs), String(events)])
}

/** Starts a Node.js program and waits until it prints `ready at <address>`. */
export async function startServer(args: readonly string[]): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  // Kills the server when the benchmark exits, even after an error.
  const kill = () => void child.kill()
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  let received = ''
  for await (const data of child.stdout) {
    received += String(data)
    const url = /ready at (\S+)/.exec(received)?.[1]
    if (url === undefined || child.pid === undefined) continue
    const stop = async () => {
      child.kill('SIGTERM')
      await ended
    }
    return { pid: child.pid, url, stop }
  }
  throw new Error(`a server ended before it was ready: ${received}`)
}
