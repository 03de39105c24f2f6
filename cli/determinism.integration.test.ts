import { once } from 'node:events'
import { expect, test } from 'vitest'
import { startEmulatorProcess } from './testing/start-emulator-process.ts'

const KEY = 'sk-svc-touchstone-funded'
const REQUESTS = 200

/** Sends request number `index`. The requests differ from each other, use all operations, and include invalid ones. */
function send(url: string, index: number): Promise<Response> {
  const topic = `topic ${index}`
  const messages = [{ role: 'user', content: topic }]
  switch (index % 8) {
    case 0:
      return post(url, 'chat/completions', { model: 'vendora-v4-flash', messages })
    case 1:
      return post(url, 'chat/completions', { model: 'vendorc-4o', messages, stream: true })
    case 2:
      return post(url, 'images/generations', { model: 'vendorc-4o', prompt: topic, n: 2 })
    case 3:
      return post(url, 'audio/speech', { model: 'o3-mini', input: topic })
    case 4:
      return transcribe(url, index)
    case 5:
      return post(url, 'chat/completions', { model: topic, messages })
    case 6:
      return post(url, 'chat/completions', { model: 'o3-mini', messages, temperature: 3 })
    default:
      return fetch(`${url}/v1/models?${index}`, { headers: { authorization: `Bearer ${KEY}` } })
  }
}

function post(url: string, operation: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  return fetch(`${url}/v1/${operation}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

function transcribe(url: string, index: number): Promise<Response> {
  const form = new FormData()
  form.set('model', 'vendora-v4-pro')
  form.set('file', new Blob([new Uint8Array(30_000).fill(index % 256), `${index}`]), 'noise.wav')
  const headers = { authorization: `Bearer ${KEY}` }
  return fetch(`${url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form })
}

/**
 * Starts an emulator process, sends all requests concurrently in the order of `numbers`, and returns the responses by
 * number.
 */
async function collectResponsesOfProcess(args: readonly string[], numbers: readonly number[]): Promise<string[]> {
  const { child, url } = await startEmulatorProcess(['--port', '0', '--public-url', 'http://emulator.test', ...args])
  const results: string[] = []
  await Promise.all(
    numbers.map(async (number) => {
      const response = await send(url, number)
      results[number] = `${response.status} ${Buffer.from(await response.arrayBuffer()).toString('latin1')}`
    }),
  )
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
  return results
}

const inOrder = Array.from({ length: REQUESTS }, (_, index) => index)
/** All request numbers in a different order. The step is coprime to `REQUESTS`, so no number occurs twice. */
const scattered = inOrder.map((index) => (index * 211 + 17) % REQUESTS)

test('two processes with the same seed and a frozen clock send the same bytes, regardless of the order of requests', async () => {
  const args = ['--clock', 'frozen:1750000000', '--seed', '7']
  const one = await collectResponsesOfProcess(args, inOrder)
  expect(new Set(one.map((result) => result.slice(0, 3)))).toEqual(new Set(['200', '400', '404']))
  expect(await collectResponsesOfProcess(args, scattered)).toEqual(one)
})
