import { expect, test, vi } from 'vitest'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { createFixedDelay, createLatencyProfile } from '../state/latency.ts'
import { callControl, sendChat, type TestRequestOptions } from './support/requests.ts'
import { WAIT_FOR_OPTIONS } from './support/servers.ts'

/** Duration of a request with 10 tokens, in milliseconds. */
const SERVICE_MS = 100

const LATENCY = createLatencyProfile(createFixedDelay(10), createFixedDelay(10), createFixedDelay(SERVICE_MS))
const ANSWER = { latency: LATENCY, answerTokens: 10 }

/** Sends a chat request. Resolves when its response ends, with its status, or with 0 if the connection closes. */
async function chat(emulator: Emulator, fields: object = {}, options: TestRequestOptions = {}): Promise<number> {
  try {
    const response = await sendChat(emulator, fields, options)
    await response.text()
    return response.status
  } catch {
    return 0
  }
}

async function readSlots(emulator: Emulator) {
  const { json } = await callControl(emulator, '/health')
  return json.slots
}

/** Starts requests one after another, so that they enter the queue in this order. */
async function start(emulator: Emulator, requests: number, fields: (index: number) => object = () => ({})) {
  const responses: Promise<number>[] = []
  for (let index = 0; index < requests; index += 1) {
    responses.push(chat(emulator, fields(index)))
    await vi.waitFor(() => expect(emulator.activeRequests()).toBe(index + 1), WAIT_FOR_OPTIONS)
  }
  return responses
}

test.each(['on', 'off'] as const)(
  'starts waiting requests on time in one advance, with fast path %s',
  async (fastPath) => {
    const clock = createVirtualClock()
    await using emulator = await startEmulator({ ...ANSWER, clock, slots: 2, fastPath })
    const responses = await start(emulator, 9, (index) => ({ stream: index % 2 === 0 }))
    clock.advance(10_000)
    expect(await Promise.all(responses)).toEqual(Array.from({ length: 9 }, () => 200))
    await vi.waitFor(() => expect(emulator.requests()).toHaveLength(9), WAIT_FOR_OPTIONS)
    const waits = emulator.requests().map(({ queuedMs = Number.NaN }) => queuedMs)
    expect(waits.toSorted((a, b) => a - b)).toEqual([0, 0, 100, 100, 200, 200, 300, 300, 400])
  },
)

test.each(['on', 'off'] as const)(
  'starts a waiting request when a response is lost in its head, with fast path %s',
  async (fastPath) => {
    const clock = createVirtualClock()
    await using emulator = await startEmulator({ ...ANSWER, clock, slots: 1, fastPath })
    emulator.faults.add('loseAt=in-head,times=1')
    const responses = await start(emulator, 2)
    clock.advance(10_000)
    expect(await Promise.all(responses)).toEqual([0, 200])
    await vi.waitFor(() => expect(emulator.requests()).toHaveLength(2), WAIT_FOR_OPTIONS)
    expect(emulator.requests().map(({ queuedMs }) => queuedMs)).toEqual([0, SERVICE_MS])
  },
)

test('shows busy slots and waiting requests in the health check and in the metrics', async () => {
  const clock = createVirtualClock()
  await using emulator = await startEmulator({ ...ANSWER, clock, slots: 2 })
  const responses = await start(emulator, 5)
  expect(await readSlots(emulator)).toEqual({ size: 2, busy: 2, waiting: 3 })
  const readMetrics = async () => (await callControl(emulator, '/metrics')).text
  expect(await readMetrics()).toMatch(
    /^touchstone_slots 2\n[^]*^touchstone_slots_busy 2\n[^]*^touchstone_requests_waiting 3\n/m,
  )
  clock.advance(1000)
  await Promise.all(responses)
  await vi.waitFor(() => expect(emulator.activeRequests()).toBe(0), WAIT_FOR_OPTIONS)
  const metrics = await readMetrics()
  expect(metrics).toMatch(/^touchstone_slots_busy 0\n[^]*^touchstone_requests_waiting 0\n/m)
  expect(metrics).toContain('touchstone_queue_seconds_bucket{le="0.001"} 2\n')
  expect(metrics).toContain('touchstone_queue_seconds_bucket{le="0.1"} 4\n')
  expect(metrics).toContain('touchstone_queue_seconds_sum 0.4\ntouchstone_queue_seconds_count 5\n')
})

test('shows no slots without a limit', async () => {
  await using emulator = await startEmulator()
  await chat(emulator)
  expect(await readSlots(emulator)).toBe(undefined)
  expect((await callControl(emulator, '/metrics')).text).not.toMatch(/slots|queue/)
  expect(emulator.requests()[0]).not.toHaveProperty('queuedMs')
})

test.each(['real', 'running virtual', 'stopped virtual'])(
  'closes with waiting requests and a stalled stream, with a %s clock',
  async (kind) => {
    const virtual = createVirtualClock()
    if (kind === 'running virtual') virtual.run()
    const emulator = await startEmulator({
      latency: createLatencyProfile(createFixedDelay(3_600_000), createFixedDelay(0), createFixedDelay(0)),
      ...(kind === 'real' ? {} : { clock: virtual }),
      faults: ['stallAfterEvents=0,ordinal=1'],
      slots: 2,
      drainLimitMs: 50,
    })
    const { key } = emulator.createAccount({ credits: '10' })
    const responses = [chat(emulator, { stream: true })]
    for (let index = 0; index < 6; index += 1) responses.push(chat(emulator, { stream: index % 2 === 0 }, { key }))
    await vi.waitFor(() => expect(emulator.activeRequests()).toBe(7), WAIT_FOR_OPTIONS)
    await emulator.close()
    expect(await Promise.all(responses)).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect(emulator.activeRequests()).toBe(0)
    expect(emulator.balance(key)?.heldUnits).toBe(0)
  },
)

test('waits for the responses of waiting requests when it closes', async () => {
  const clock = createVirtualClock()
  const emulator = await startEmulator({ ...ANSWER, clock, slots: 1, drainLimitMs: 2 ** 31 - 1 })
  const responses = await start(emulator, 4)
  clock.run() // While the clock is stopped, the drain limit would be shorter.
  await emulator.close()
  expect(await Promise.all(responses)).toEqual([200, 200, 200, 200])
})

test.each(['real', 'running virtual'])(
  'keeps an exact ledger while 50 clients abort requests, with a %s clock',
  async (kind) => {
    const virtual = createVirtualClock()
    virtual.run()
    const latency = createLatencyProfile(createFixedDelay(4), createFixedDelay(1), createFixedDelay(4))
    await using emulator = await startEmulator({
      ...(kind === 'real' ? {} : { clock: virtual }),
      latency,
      answerTokens: 10,
      slots: 4,
      queueLength: 30,
      faults: ['every=7,cutAfterBytes=30', 'every=11,errorAfterEvents=2', 'every=13,delayMs=20', 'every=17,drop'],
    })
    const { key } = emulator.createAccount({ credits: '100000' })
    const statuses = new Map<number, number>()
    let state = 1
    const next = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
    const client = async () => {
      for (let request = 0; request < 20; request += 1) {
        const signal = next(2) === 0 ? AbortSignal.timeout(1 + next(60)) : undefined
        const status = await chat(emulator, { stream: next(2) === 0 }, { key, ...(signal && { signal }) })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: 50 }, client))
    await vi.waitFor(() => expect(emulator.activeRequests()).toBe(0), WAIT_FOR_OPTIONS)
    expect([...statuses.keys()].filter((status) => ![0, 200, 429].includes(status))).toEqual([])
    expect(await readSlots(emulator)).toEqual({ size: 4, busy: 0, waiting: 0 })
    const { json } = await callControl(emulator, '/invariant')
    expect(json.holds).toBe(true)
    const charged = emulator.requests(key).reduce((sum, entry) => sum + Number(entry.charged) * 10_000, 0)
    expect(emulator.balance(key)).toMatchObject({ heldUnits: 0, chargedUnits: Math.round(charged) })
    const unserved = emulator.requests(key).filter(({ status, clientLeft }) => status === null && clientLeft)
    expect(unserved.length).toBeGreaterThan(0)
  },
)
