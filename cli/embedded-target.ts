import type { EmbeddedTarget } from '../load/run-load.ts'
import { readEmulatorOptions } from './read-emulator-options.ts'

/** Size of the request log, which needs an entry for each request of a run. */
const REQUEST_LOG = { entries: 50_000, bytes: 128 * 1024 * 1024 }

const WARM_UP_STREAMS = 30

/** Starts an emulator in this process with options from environment variables. The default latency is `fast`. */
export async function startEmbeddedEmulator(): Promise<EmbeddedTarget> {
  // Imported dynamically, because most runs do not start an emulator.
  const { readOptions, startEmulator } = await import('../emulator/start-emulator.ts')
  const { options } = readEmulatorOptions({}, process.env)
  const read = readOptions([['latency', process.env['TOUCHSTONE_EMULATOR_LATENCY'] ?? 'fast']])
  const { url, keys, close } = await startEmulator({
    ...options,
    ...read,
    port: 0,
    host: '127.0.0.1',
    requestLog: REQUEST_LOG,
  })
  await warmUp(url, keys.funded)
  return {
    url,
    keys: { funded: keys.funded, limited: keys.limited, small: keys.small },
    limit: { requests: 60, windowS: 60, burst: 5, obey: false },
    smallBalance: '1',
    close,
  }
}

/** Sends concurrent streams before the measurement, so that V8 compiles the emulator's code. */
async function warmUp(url: string, key: string): Promise<void> {
  const body = JSON.stringify({
    model: 'vendora-v4-flash',
    messages: [{ role: 'user', content: 'warm' }],
    max_tokens: 8,
    stream: true,
  })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const stream = async () => (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).text()
  await Promise.all(Array.from({ length: WARM_UP_STREAMS }, stream))
}
