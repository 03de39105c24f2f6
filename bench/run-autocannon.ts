import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Result } from 'autocannon'
import { CHAT_PATH, CHAT_HEADERS, type Throughput, type LoadGeneratorOptions } from './throughput.ts'

const AUTOCANNON = fileURLToPath(import.meta.resolve('autocannon'))

/**
 * Generates load with autocannon in a separate process.
 * @throws Error if a response was not 2xx
 */
export async function runAutocannon(
  url: string,
  { body, connections, seconds }: LoadGeneratorOptions,
): Promise<Throughput> {
  const fields = Object.entries(CHAT_HEADERS).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const numbers = ['-c', String(connections), '-d', String(seconds)]
  const request = ['-m', 'POST', ...fields, '-b', JSON.stringify(body), url + CHAT_PATH]
  const child = spawn(process.execPath, [AUTOCANNON, '--json', ...numbers, ...request], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  await once(child, 'close')
  // The cast is safe: autocannon documents this format of --json.
  const { requests, errors, timeouts, non2xx, duration } = JSON.parse(output) as Result
  if (errors + timeouts + non2xx > 0) throw new Error(`${url}: ${errors} errors, ${timeouts} late, ${non2xx} refused`)
  return { responses: requests.total, seconds: duration }
}
