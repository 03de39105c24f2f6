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

test('two processes with the same seed send the same bytes except `created`, regardless of the order of requests', async () => {
  const withoutCreated = (respond: string) => respond.replaceAll(/"created":\d+/g, '"created":0')
  const one = await collectResponsesOfProcess(['--seed', '7'], inOrder)
  const other = await collectResponsesOfProcess(['--seed', '7'], scattered)
  expect(new Set(one.map((result) => result.slice(0, 3)))).toEqual(new Set(['200', '400', '404']))
  expect(other.map(withoutCreated)).toEqual(one.map(withoutCreated))
})

test('with a frozen clock, responses are identical for the same seed and differ for another seed', async () => {
  const frozen = ['--clock', 'frozen:1750000000']
  const one = await collectResponsesOfProcess([...frozen, '--seed', '7'], inOrder)
  expect(await collectResponsesOfProcess([...frozen, '--seed', '7'], scattered.toReversed())).toEqual(one)
  const chats = (responses: readonly string[]) => responses.filter((_, index) => index % 8 < 2)
  const others = chats(await collectResponsesOfProcess([...frozen, '--seed', '8'], inOrder))
  expect(chats(one).filter((response, index) => response === others[index])).toEqual([])
})
