import { expect, test } from 'vitest'
import { createEmulator } from '../create-emulator.ts'
import { startEmulator } from '../start-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { sendChat } from './support/requests.ts'
import { createFixedDelay, LATENCY_PROFILES } from '../state/latency.ts'

const LATENCY = { ...LATENCY_PROFILES.instant, chat: { ttft: createFixedDelay(1000), itl: createFixedDelay(100) } }

test('sends nothing before the first token is due, and each token at its time', async () => {
  const clock = createVirtualClock()
  await using emulator = await startEmulator({ clock, latency: LATENCY, answerTokens: 'fill' })
  const response = sendChat(emulator, { stream: true, max_tokens: 5 })
  const received = { text: '' }
  const reading = response.then(async ({ body }) => {
    for await (const piece of body ?? []) received.text += Buffer.from(piece).toString()
  })
  const tokens = () => (received.text.match(/"content":"[^"]/g) ?? []).length
  await expect.poll(async () => inFlight(emulator.url)).toBe(1)
  clock.advance(999)
  expect(tokens()).toBe(0)
  for (const count of [1, 2, 3, 4, 5]) {
    clock.advance(count === 1 ? 1 : 100)
    await expect.poll(tokens).toBe(count)
  }
  await reading
  expect(received.text.endsWith('data: [DONE]\n\n')).toBe(true)
})

test('reports the end of every stream, even if many end at the same time', async () => {
  const emulator = createEmulator({
    latency: { ...LATENCY, chat: { ttft: createFixedDelay(20), itl: createFixedDelay(20) } },
    answerTokens: 10,
  })
  const body = JSON.stringify({ model: 'o3-mini', stream: true, messages: [{ role: 'user', content: 'Go.' }] })
  const headers = { authorization: `Bearer ${emulator.keys.funded}` }
  for (let round = 1; round <= 3; round += 1) {
    const streams = Array.from({ length: 100 }, async () => {
      const response = await emulator.fetch('http://emulator/v1/chat/completions', { method: 'POST', headers, body })
      return response.text()
    })
    await Promise.all(streams)
    expect(emulator.activeRequests()).toBe(0)
    expect(emulator.auditClients().requests).toBe(100 * round)
  }
})

test('sends a response without streaming when its last token is due', async () => {
  const clock = createVirtualClock()
  await using emulator = await startEmulator({ clock, latency: LATENCY, answerTokens: 'fill' })
  let status = 0
  const response = sendChat(emulator, { max_tokens: 5 }).then((received) => {
    status = received.status
  })
  await expect.poll(async () => inFlight(emulator.url)).toBe(1)
  clock.advance(1399)
  await new Promise((resolve) => setImmediate(resolve))
  expect(status).toBe(0)
  clock.advance(1)
  await response
  expect(status).toBe(200)
})

test('sends error responses immediately', async () => {
  await using emulator = await startEmulator({ clock: createVirtualClock(), latency: LATENCY })
  expect((await sendChat(emulator, { temperature: 3 })).status).toBe(400)
})

test('records the planned and the actual write time of each event', async () => {
  await using emulator = await startEmulator({
    latency: { ...LATENCY, chat: { ttft: createFixedDelay(20), itl: createFixedDelay(5) } },
    answerTokens: 'fill',
  })
  const response = await sendChat(emulator, { stream: true, max_tokens: 3 })
  await response.text()
  const { responses } = (await (await fetch(`${emulator.url}/__emulator/timing/responses`)).json()) as {
    responses: { requestId: string; plannedMs: number[]; writtenMs: number[] }[]
  }
  // Events: role, three tokens, finish reason, [DONE].
  expect(responses).toMatchObject([
    { requestId: response.headers.get('x-request-id'), operation: 'chat', plannedMs: [20, 20, 25, 30, 30, 30] },
  ])
  const early = responses[0]?.plannedMs.filter((dueMs, index) => (responses[0]?.writtenMs[index] ?? 0) < dueMs)
  expect(early).toEqual([])
  const summary: unknown = await (await fetch(`${emulator.url}/__emulator/timing`)).json()
  expect(summary).toMatchObject({ responses: 1, all: { n: 6 } })
})

async function inFlight(url: string): Promise<number> {
  const { inFlight } = (await (await fetch(`${url}/__emulator/health`)).json()) as { inFlight: number }
  return inFlight
}
