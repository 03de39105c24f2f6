import { expect, test, vi } from 'vitest'
import { createFixedDelay, createLatencyProfile } from '../state/latency.ts'
import { Slots } from '../state/slots.ts'
import {
  CONTRADICTORY_SCHEMA,
  LATENCY,
  listWaits,
  sendRequest,
  type SentRequest,
  SERVICE_MS,
  settle,
  setUpQueue,
  startRequests,
} from './support/queue.ts'
import { WAIT_FOR_OPTIONS } from './support/servers.ts'

test('serves only as many requests at once as there are slots', async () => {
  const { clock, emulator } = setUpQueue({ slots: 2 })
  const responses = await startRequests(emulator, [{}, {}, {}, {}, {}])
  clock.advance(1000)
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(listWaits(emulator)).toEqual([0, 0, SERVICE_MS, SERVICE_MS, 2 * SERVICE_MS])
})

test.each([
  ['429', 'queue-full', 'queue_full'],
  ['503', 'overloaded', 'overloaded'],
] as const)('rejects a request beyond the queue length with %s, and charges nothing', async (status, refused, code) => {
  const { clock, emulator } = setUpQueue({ queueLength: 1, options: { 'queue-full': status } })
  const { key } = emulator.createAccount({ credits: '1', rateLimit: { requestsPerMinute: 1 } })
  const served = await startRequests(emulator, [{}, {}])
  const rejected = await sendRequest(emulator, { key })
  expect(rejected).toMatchObject({ status: Number(status), retryAfter: '1' })
  expect(JSON.parse(rejected.text)).toMatchObject({ error: { code } })
  expect(emulator.requests(key)).toMatchObject([{ status: Number(status), refused, charged: '0' }])
  expect(emulator.requests(key)[0]).not.toHaveProperty('queuedMs')
  clock.advance(1000)
  await Promise.all(served)
  const retried = await startRequests(emulator, [{ key }]) // The rejection did not use up the request limit.
  clock.advance(1000)
  expect((await Promise.all(retried)).map((response) => response.status)).toEqual([200])
})

test('estimates Retry-After from the mean service time and the number of slots', async () => {
  const { clock, emulator } = setUpQueue({
    slots: 2,
    queueLength: 0,
    latency: createLatencyProfile(createFixedDelay(9000), createFixedDelay(0), createFixedDelay(0)),
  })
  for (const round of [1, 2]) {
    const served = await startRequests(emulator, [{}, {}])
    expect((await sendRequest(emulator)).retryAfter).toBe(round === 1 ? '1' : '5')
    clock.advance(9000)
    await Promise.all(served)
  }
})

test('returns errors, the model list, replaced responses and scripted errors without a slot', async () => {
  const { clock, emulator } = setUpQueue({ fixtures: [{ message: 'Fail.', status: 500 }] })
  const busy = await startRequests(emulator, [{}, {}])
  const messages = [{ role: 'user', content: 'Fail.' }]
  const immediate: readonly SentRequest[] = [
    { key: 'sk-svc-unknown' },
    { key: emulator.keys.noCredits },
    { fields: { temperature: 9 } },
    { fields: { messages } },
    { fault: 'status=502' },
    { fault: 'drop' },
  ]
  const statuses = (await Promise.all(await startRequests(emulator, immediate))).map(({ status }) => status)
  expect(statuses).toEqual([401, 402, 400, 500, 502, 0])
  const models = await startRequests(emulator, [{ path: '/models' }])
  clock.advance(5) // Latency of the model list.
  expect((await Promise.all(models)).map(({ status }) => status)).toEqual([200])
  expect(emulator.requests().filter(({ queuedMs }) => queuedMs !== undefined)).toEqual([])
  clock.advance(1000)
  await Promise.all(busy)
})

test('returns the error of a generation without waiting for a slot', async () => {
  const { clock, emulator } = setUpQueue()
  const busy = await startRequests(emulator, [{}])
  expect(await sendRequest(emulator, { fields: CONTRADICTORY_SCHEMA })).toMatchObject({ status: 400 })
  const next = await startRequests(emulator, [{}])
  clock.advance(2 * SERVICE_MS)
  await Promise.all([...busy, ...next])
  expect(listWaits(emulator)).toEqual([0, 0, SERVICE_MS])
})

test('removes an aborted request from the queue at once, and charges nothing', async () => {
  const { clock, emulator } = setUpQueue()
  const { key } = emulator.createAccount({ credits: '1' })
  const controller = new AbortController()
  const responses = await startRequests(emulator, [{}, { key, signal: controller.signal }, {}])
  expect(emulator.balance(key)?.heldUnits).toBeGreaterThan(0)
  clock.advance(30)
  controller.abort()
  await settle()
  expect(emulator.balance(key)).toMatchObject({ heldUnits: 0, chargedUnits: 0 })
  expect(emulator.requests(key)).toMatchObject([
    { status: null, queuedMs: 30, totalMs: 30, ttftMs: null, charged: '0', tokens: 0, clientLeft: true },
  ])
  clock.advance(1000)
  await Promise.all(responses)
  expect(listWaits(emulator)).toEqual([30, 0, SERVICE_MS])
})

test('gives the slot of an aborted request to the next one at once', async () => {
  const { clock, emulator } = setUpQueue()
  const controller = new AbortController()
  const responses = await startRequests(emulator, [{ fields: { stream: true }, signal: controller.signal }, {}])
  clock.advance(35)
  controller.abort()
  clock.advance(1000) // Without a turn of the event loop in between.
  await Promise.all(responses)
  expect(listWaits(emulator)).toEqual([0, 35])
})

test('gives the slot of a stream that a fault cuts to the next request at once', async () => {
  const { clock, emulator } = setUpQueue()
  const responses = await startRequests(emulator, [{ fields: { stream: true }, fault: 'cutAfterEvents=4' }, {}])
  clock.advance(1000)
  await Promise.all(responses)
  expect(listWaits(emulator).toSorted()).toEqual([0, 30]) // The fourth event is the third token.
})

test('releases the slot of a request whose client disconnects while its content is generated', async () => {
  const { clock, emulator } = setUpQueue()
  const controller = new AbortController()
  // The generation follows in the same turn of the event loop, and ends in a later one.
  const { enter } = Slots.prototype
  vi.spyOn(Slots.prototype, 'enter').mockImplementationOnce(function (this: Slots, arrivedAtMs) {
    queueMicrotask(() => controller.abort())
    return enter.call(this, arrivedAtMs)
  })
  const aborted = sendRequest(emulator, { fields: CONTRADICTORY_SCHEMA, signal: controller.signal })
  expect((await aborted).status).toBe(0)
  await vi.waitFor(() => expect(emulator.activeRequests()).toBe(0), WAIT_FOR_OPTIONS)
  const next = await startRequests(emulator, [{}])
  clock.advance(SERVICE_MS)
  await Promise.all(next)
  expect(listWaits(emulator)).toEqual([0, 0])
})

test('charges a waiting request that is aborted in service only for its own tokens', async () => {
  const { clock, emulator } = setUpQueue()
  const { key } = emulator.createAccount({ credits: '10' })
  const controller = new AbortController()
  const responses = await startRequests(emulator, [{}, { key, signal: controller.signal }])
  clock.advance(SERVICE_MS + 35) // Three of ten tokens are due: after 10, 20 and 30 ms of service.
  controller.abort()
  await Promise.all(responses)
  await settle()
  const [entry] = emulator.requests(key)
  expect(entry?.tokens).toBe(3 + promptTokensOf((await responses[0])?.text))
})

function promptTokensOf(text = ''): number {
  return JSON.parse(text).usage.prompt_tokens
}

test('sends the same bytes whether or not requests wait', async () => {
  const kinds = [{}, { stream: true }, { max_tokens: 3 }, {}, { stream: true }, {}]
  const read = async (slots: number) => {
    const { clock, emulator } = setUpQueue({
      slots,
      latency: createLatencyProfile({ p50Ms: 20, p99Ms: 90 }, { p50Ms: 4, p99Ms: 20 }, createFixedDelay(0)),
    })
    const responses = await startRequests(
      emulator,
      kinds.map((fields) => ({ fields })),
    )
    clock.advance(100_000)
    return (await Promise.all(responses)).map(({ text }) => text)
  }
  expect(await read(1)).toEqual(await read(100))
})

test('finishes waiting requests after a reset', async () => {
  const { clock, emulator } = setUpQueue()
  const responses = await startRequests(emulator, [{}, {}, {}])
  clock.advance(50)
  emulator.reset()
  clock.advance(1000)
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(listWaits(emulator)).toEqual([0, SERVICE_MS, 2 * SERVICE_MS])
  expect(emulator.balance(emulator.keys.funded)?.heldUnits).toBe(0)
})

test('aborts waiting requests without a charge when the emulator closes', async () => {
  const { clock, emulator } = setUpQueue()
  const { key } = emulator.createAccount({ credits: '1' })
  const responses = await startRequests(emulator, [{}, { key, fields: { stream: true } }, { key }])
  clock.advance(50)
  await emulator.close()
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([0, 0, 0])
  await settle()
  expect(emulator.balance(key)).toMatchObject({ heldUnits: 0, chargedUnits: 0 })
  expect(emulator.activeRequests()).toBe(0)
})

test('does not slow down requests in service by requests that wait', async () => {
  const { clock, emulator } = setUpQueue({ latency: { ...LATENCY, slowdownPerRequest: 1 } })
  const responses = await startRequests(emulator, [{}, {}, {}])
  clock.advance(1000)
  await Promise.all(responses)
  expect(listWaits(emulator)).toEqual([0, 2 * SERVICE_MS, 4 * SERVICE_MS])
})
