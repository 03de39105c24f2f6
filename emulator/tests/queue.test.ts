import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { createEmulator, type InProcessEmulator, type InstanceOptions } from '../create-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { createFixedDelay, createLatencyProfile } from '../state/latency.ts'
import { WAIT_FOR_OPTIONS } from './support/servers.ts'

/** Duration of a request with 10 tokens, in milliseconds. */
const SERVICE_MS = 100

const LATENCY = createLatencyProfile(createFixedDelay(10), createFixedDelay(10), createFixedDelay(SERVICE_MS))

/** Waits until the emulator has handled everything that does not wait for the clock. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

function setUp(options: InstanceOptions = {}) {
  const clock = createVirtualClock()
  const emulator = createEmulator({
    clock,
    latency: LATENCY,
    answerTokens: 'fill',
    slots: 1,
    allowFaultHeader: true,
    ...options,
  })
  return { clock, emulator }
}

interface SentRequest {
  readonly path?: string
  readonly key?: string
  readonly fields?: object
  readonly fault?: string
  readonly signal?: AbortSignal
}

/** Sends a request. Resolves when its response ends, with the status and the text of the response, or with status 0. */
async function send(emulator: InProcessEmulator, request: SentRequest = {}) {
  const { path = '/chat/completions', key = emulator.keys.funded, fields = {}, fault, signal } = request
  const body = { model: 'o3-mini', max_tokens: 10, messages: [{ role: 'user', content: 'Go.' }], ...fields }
  const { baseURL } = emulator.clientOptions()
  try {
    const response = await emulator.fetch(baseURL + path, {
      ...(path === '/models' ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${key}`, ...(fault === undefined ? {} : { 'x-touchstone-fault': fault }) },
      ...(signal === undefined ? {} : { signal }),
    })
    const { status, headers } = response
    return { status, retryAfter: headers.get('retry-after'), text: await response.text() }
  } catch {
    return { status: 0, retryAfter: null, text: '' }
  }
}

/** Starts requests one after another, so that they enter the queue in this order. */
async function start(emulator: InProcessEmulator, requests: readonly SentRequest[]) {
  const responses: ReturnType<typeof send>[] = []
  for (const request of requests) {
    responses.push(send(emulator, request))
    await settle()
  }
  return responses
}

const CONTRADICTORY_SCHEMA = {
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'x', schema: { type: 'integer', minimum: 5, maximum: 1 } },
  },
}

const waitsOf = (emulator: InProcessEmulator) => emulator.requests().map(({ queuedMs }) => queuedMs)

test('serves only as many requests at once as there are slots', async () => {
  const { clock, emulator } = setUp({ slots: 2 })
  const responses = await start(emulator, [{}, {}, {}, {}, {}])
  clock.advance(1000)
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(waitsOf(emulator)).toEqual([0, 0, SERVICE_MS, SERVICE_MS, 2 * SERVICE_MS])
})

test.each([
  ['429', 'queue-full', 'queue_full'],
  ['503', 'overloaded', 'overloaded'],
] as const)('rejects a request beyond the queue length with %s, and charges nothing', async (status, refused, code) => {
  const { clock, emulator } = setUp({ queueLength: 1, options: { 'queue-full': status } })
  const { key } = emulator.createAccount({ credits: '1', rateLimit: { requestsPerMinute: 1 } })
  const served = await start(emulator, [{}, {}])
  const rejected = await send(emulator, { key })
  expect(rejected).toMatchObject({ status: Number(status), retryAfter: '1' })
  expect(JSON.parse(rejected.text)).toMatchObject({ error: { code } })
  expect(emulator.requests(key)).toMatchObject([{ status: Number(status), refused, charged: '0' }])
  expect(emulator.requests(key)[0]).not.toHaveProperty('queuedMs')
  clock.advance(1000)
  await Promise.all(served)
  const retried = await start(emulator, [{ key }]) // The rejection did not use up the request limit.
  clock.advance(1000)
  expect((await Promise.all(retried)).map((response) => response.status)).toEqual([200])
})

test('estimates Retry-After from the mean service time and the number of slots', async () => {
  const { clock, emulator } = setUp({
    slots: 2,
    queueLength: 0,
    latency: createLatencyProfile(createFixedDelay(9000), createFixedDelay(0), createFixedDelay(0)),
  })
  for (const round of [1, 2]) {
    const served = await start(emulator, [{}, {}])
    expect((await send(emulator)).retryAfter).toBe(round === 1 ? '1' : '5')
    clock.advance(9000)
    await Promise.all(served)
  }
})

test('returns errors, the model list, replaced responses and scripted errors without a slot', async () => {
  const { clock, emulator } = setUp({ fixtures: [{ message: 'Fail.', status: 500 }] })
  const busy = await start(emulator, [{}, {}])
  const messages = [{ role: 'user', content: 'Fail.' }]
  const immediate: readonly SentRequest[] = [
    { key: 'sk-svc-unknown' },
    { key: emulator.keys.noCredits },
    { fields: { temperature: 9 } },
    { fields: { messages } },
    { fault: 'status=502' },
    { fault: 'drop' },
  ]
  const statuses = (await Promise.all(await start(emulator, immediate))).map(({ status }) => status)
  expect(statuses).toEqual([401, 402, 400, 500, 502, 0])
  const models = await start(emulator, [{ path: '/models' }])
  clock.advance(5) // Latency of the model list.
  expect((await Promise.all(models)).map(({ status }) => status)).toEqual([200])
  expect(emulator.requests().filter(({ queuedMs }) => queuedMs !== undefined)).toEqual([])
  clock.advance(1000)
  await Promise.all(busy)
})

test('returns the error of a generation without waiting for a slot', async () => {
  const { clock, emulator } = setUp()
  const busy = await start(emulator, [{}])
  expect(await send(emulator, { fields: CONTRADICTORY_SCHEMA })).toMatchObject({ status: 400 })
  const next = await start(emulator, [{}])
  clock.advance(2 * SERVICE_MS)
  await Promise.all([...busy, ...next])
  expect(waitsOf(emulator)).toEqual([0, 0, SERVICE_MS])
})

test('removes an aborted request from the queue at once, and charges nothing', async () => {
  const { clock, emulator } = setUp()
  const { key } = emulator.createAccount({ credits: '1' })
  const controller = new AbortController()
  const responses = await start(emulator, [{}, { key, signal: controller.signal }, {}])
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
  expect(waitsOf(emulator)).toEqual([30, 0, SERVICE_MS])
})

test('gives the slot of an aborted request to the next one at once', async () => {
  const { clock, emulator } = setUp()
  const controller = new AbortController()
  const responses = await start(emulator, [{ fields: { stream: true }, signal: controller.signal }, {}])
  clock.advance(35)
  controller.abort()
  clock.advance(1000) // Without a turn of the event loop in between.
  await Promise.all(responses)
  expect(waitsOf(emulator)).toEqual([0, 35])
})

test('gives the slot of a stream that a fault cuts to the next request at once', async () => {
  const { clock, emulator } = setUp()
  const responses = await start(emulator, [{ fields: { stream: true }, fault: 'cutAfterEvents=4' }, {}])
  clock.advance(1000)
  await Promise.all(responses)
  expect(waitsOf(emulator).toSorted()).toEqual([0, 30]) // The fourth event is the third token.
})

test('gives the slot of a request back whose client disconnects while its content is generated', async () => {
  const { clock, emulator } = setUp()
  const controller = new AbortController()
  const aborted = send(emulator, { fields: CONTRADICTORY_SCHEMA, signal: controller.signal })
  await vi.waitFor(() => expect(emulator.balance(emulator.keys.funded)?.heldUnits).toBeGreaterThan(0), WAIT_FOR_OPTIONS)
  controller.abort()
  expect((await aborted).status).toBe(0)
  await vi.waitFor(() => expect(emulator.activeRequests()).toBe(0), WAIT_FOR_OPTIONS)
  const next = await start(emulator, [{}])
  clock.advance(SERVICE_MS)
  await Promise.all(next)
  expect(waitsOf(emulator)).toEqual([0, 0])
})

test('charges a waiting request that is aborted in service only for its own tokens', async () => {
  const { clock, emulator } = setUp()
  const { key } = emulator.createAccount({ credits: '10' })
  const controller = new AbortController()
  const responses = await start(emulator, [{}, { key, signal: controller.signal }])
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
    const { clock, emulator } = setUp({
      slots,
      latency: createLatencyProfile({ p50Ms: 20, p99Ms: 90 }, { p50Ms: 4, p99Ms: 20 }, createFixedDelay(0)),
    })
    const responses = await start(
      emulator,
      kinds.map((fields) => ({ fields })),
    )
    clock.advance(100_000)
    return (await Promise.all(responses)).map(({ text }) => text)
  }
  expect(await read(1)).toEqual(await read(100))
})

test('finishes waiting requests after a reset', async () => {
  const { clock, emulator } = setUp()
  const responses = await start(emulator, [{}, {}, {}])
  clock.advance(50)
  emulator.reset()
  clock.advance(1000)
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(waitsOf(emulator)).toEqual([0, SERVICE_MS, 2 * SERVICE_MS])
  expect(emulator.balance(emulator.keys.funded)?.heldUnits).toBe(0)
})

test('aborts waiting requests without a charge when the emulator closes', async () => {
  const { clock, emulator } = setUp()
  const { key } = emulator.createAccount({ credits: '1' })
  const responses = await start(emulator, [{}, { key, fields: { stream: true } }, { key }])
  clock.advance(50)
  await emulator.close()
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([0, 0, 0])
  await settle()
  expect(emulator.balance(key)).toMatchObject({ heldUnits: 0, chargedUnits: 0 })
  expect(emulator.activeRequests()).toBe(0)
})

test('does not slow down requests in service by requests that wait', async () => {
  const { clock, emulator } = setUp({ latency: { ...LATENCY, slowdownPerRequest: 1 } })
  const responses = await start(emulator, [{}, {}, {}])
  clock.advance(1000)
  await Promise.all(responses)
  expect(waitsOf(emulator)).toEqual([0, 2 * SERVICE_MS, 4 * SERVICE_MS])
})

const FAULTS = [
  'drop',
  'reset',
  'status=503',
  'cutAfterEvents=2',
  'cutAfterBytes=20',
  'errorAfterEvents=1',
  'stallAfterEvents=1',
  'neverEnds',
  'delayMs=40',
  'malformedEvent=1',
]

const event = fc.record({
  beforeMs: fc.nat(60),
  kind: fc.constantFrom('plain', 'stream', 'schema', 'credits', 'reset', 'fault', 'fault', 'stream'),
  fault: fc.constantFrom(...FAULTS),
  /** Time from the request to its abort by the client, or null. */
  abortAfterMs: fc.option(fc.nat(300), { freq: 2 }),
})

test('gives every slot back exactly once, however requests end', { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(
    fc.array(event, { minLength: 4, maxLength: 14 }),
    fc.integer({ min: 1, max: 3 }),
    async (events, slots) => {
      const { clock, emulator } = setUp({ slots })
      const controllers: AbortController[] = []
      const aborts: { atMs: number; controller: AbortController }[] = []
      const advanceTo = async (untilMs: number) => {
        for (const { atMs, controller } of aborts.toSorted((a, b) => a.atMs - b.atMs)) {
          if (atMs > untilMs || controller.signal.aborted) continue
          clock.advance(Math.max(0, atMs - clock.nowMs()))
          controller.abort()
          await settle()
        }
        clock.advance(untilMs - clock.nowMs())
        await settle()
      }
      const responses: Promise<unknown>[] = []
      for (const { beforeMs, kind, fault, abortAfterMs } of events) {
        await advanceTo(clock.nowMs() + beforeMs)
        if (kind === 'reset') {
          emulator.reset()
          continue
        }
        const controller = new AbortController()
        controllers.push(controller)
        if (abortAfterMs !== null) aborts.push({ atMs: clock.nowMs() + abortAfterMs, controller })
        const fields = kind === 'schema' ? CONTRADICTORY_SCHEMA : { stream: kind === 'stream' || kind === 'fault' }
        const key = kind === 'credits' ? emulator.keys.noCredits : emulator.keys.funded
        const injected = kind === 'fault' ? { fault } : {}
        responses.push(send(emulator, { fields, key, signal: controller.signal, ...injected }))
        await settle()
      }
      await advanceTo(clock.nowMs() + 5000)
      for (const controller of controllers) controller.abort() // Ends stalled streams.
      await settle()
      await advanceTo(clock.nowMs() + 5000)
      for (const controller of controllers) controller.abort() // Ends stalled streams that waited for a slot.
      await settle()
      await Promise.all(responses)
      // A thread generates values for schemas, in real time.
      await vi.waitFor(() => expect(emulator.activeRequests()).toBe(0), WAIT_FOR_OPTIONS)
      expect(emulator.balance(emulator.keys.funded)?.heldUnits).toBe(0)
      // All slots are free again, and there are no more of them than before.
      emulator.reset()
      const last = await start(
        emulator,
        Array.from({ length: slots + 1 }, () => ({})),
      )
      clock.advance(2 * SERVICE_MS)
      await Promise.all(last)
      expect(waitsOf(emulator)).toEqual([...Array.from({ length: slots }, () => 0), SERVICE_MS])
      await emulator.close()
    },
  )
  await fc.assert(property, { numRuns: 20 })
})
