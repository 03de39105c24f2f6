import { connect } from 'node:net'
import { CommandLineError } from './command-line-error.ts'
import { readEmulatorOptions } from './read-emulator-options.ts'

export const DEFAULT_UPSTREAM_HOST = '127.0.0.1'

const CONNECT_TIMEOUT_MS = 2000

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** Size of the request log, which needs an entry with bodies for each request of a run. */
const REQUEST_LOG = { entries: 20_000, bytes: 256 * 1024 * 1024 }

/**
 * Starts an emulator as the upstream of a gateway if nothing listens on the loopback address of the upstream, and says so.
 * @param host address on which the emulator listens
 * @returns undefined if the upstream already runs, or is on another machine
 * @throws CommandLineError if the port cannot be opened
 */
export async function startUpstream(
  upstream: string | undefined,
  host: string,
): Promise<{ close(): Promise<void> } | undefined> {
  const url = upstream === undefined ? undefined : URL.parse(upstream)
  if (url === undefined || url === null || !LOOPBACK.test(url.hostname)) return undefined
  const port = Number(url.port === '' ? 80 : url.port)
  if (await isListening(url.hostname, port)) return undefined
  // Imported dynamically, because most runs do not start an emulator.
  const { startEmulator } = await import('../emulator/start-emulator.ts')
  const { options } = readEmulatorOptions({}, process.env)
  const emulator = await startEmulator({ ...options, host, port, requestLog: REQUEST_LOG }).catch((error: unknown) => {
    throw new CommandLineError(
      `Cannot start the emulator for --upstream ${url.origin}: ${error instanceof Error ? error.message : String(error)}`,
    )
  })
  process.stderr.write(
    `Nothing listened at ${url.origin}, so the run started the emulator there. Its key for the gateway is ${emulator.keys.funded}.\n`,
  )
  return emulator
}

function isListening(hostname: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port, timeout: CONNECT_TIMEOUT_MS })
    const settle = (isOpen: boolean): void => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
    socket.once('timeout', () => settle(false))
  })
}
