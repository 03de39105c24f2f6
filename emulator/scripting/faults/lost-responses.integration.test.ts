import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmulator, type InProcessEmulator } from '../../create-emulator.ts'
import { createRealClock, createVirtualClock } from '../../state/clock.ts'
import { createFixedDelay, LATENCY_PROFILES } from '../../state/latency.ts'
import { createSeededRandom } from '../../state/seeded-random.ts'
import { startEmulator, type Emulator } from '../../start-emulator.ts'
import { callControl, sendChat, sendRawRequest } from '../../tests/support/requests.ts'
import { LOSS_PLACES, type LossPlace } from './fault-rule.ts'

const UNITS_PER_TOKEN = 4
const PROMPT_TOKENS = 7
const OPTIONS = {
  allowFaultHeader: true,
  frozenAtUnixSeconds: 1_750_000_000,
  fixtures: [{ text: 'One, two, Grüße, four, five.' }],
} as const
const QUESTION = { model: 'vendora-v4-flash', messages: [{ role: 'user', content: 'Say hello.' }] }

const emulators: Record<string, Emulator | InProcessEmulator> = {}
beforeAll(async () => {
  emulators['on the fast path'] = await startEmulator(OPTIONS)
  emulators['through Fastify'] = await startEmulator({ ...OPTIONS, fastPath: 'off' })
  emulators['in process'] = createEmulator(OPTIONS)
})
afterAll(() => Promise.all(Object.values(emulators).map((emulator) => emulator.close())))

interface Outcome {
  /** Received bytes of the body, one character per byte. Undefined if the client got no response. */
  readonly body: string | undefined
  /** Error code of the client. Undefined if the response was complete. */
  readonly code: string | undefined
}

/** Sends a chat request with a fault, which may be empty, and reads its response. */
async function lose(emulator: Emulator | InProcessEmulator, fault: string, fields: object, key: string) {
  const call = 'fetch' in emulator ? emulator.fetch : fetch
  const base = 'url' in emulator ? emulator.url : 'http://emulator.test'
  const chunks: Uint8Array[] = []
  let hasResponse = false
  let code: string | undefined
  try {
    const response = await call(`${base}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...(fault === '' ? {} : { 'x-touchstone-fault': fault }) },
      body: JSON.stringify({ ...QUESTION, ...fields }),
    })
    hasResponse = true
    for await (const chunk of response.body ?? []) chunks.push(chunk)
  } catch (error) {
    const { cause }: { cause?: { code?: string } } = Object(error)
    code = cause?.code ?? String(error)
  }
  const outcome: Outcome = { body: hasResponse ? Buffer.concat(chunks).toString('latin1') : undefined, code }
  return outcome
}

/** Number of the first event with a multi-byte character, counted from 0. */
const findMultiByteEvent = (events: readonly string[]) => events.findIndex((event) => /[\x80-\xff]/.test(event))

/** Returns the part of a stream's body that arrives, and the number of charged completion tokens. */
function expectOfStream(place: LossPlace, body: string): { body: string | undefined; tokens: number } {
  const events = body.split(/(?<=\n\n)/)
  const first = (count: number) => ({ body: events.slice(0, count).join(''), tokens: count - 1 }) // One event has the role.
  const multiByte = findMultiByteEvent(events)
  switch (place) {
    case 'connection':
    case 'before-head':
      return { body: undefined, tokens: -PROMPT_TOKENS }
    case 'in-head':
      return { body: undefined, tokens: 0 }
    case 'before-first-token':
      return first(1)
    case 'after-first-token':
      return first(2)
    case 'in-event':
      return { ...first(multiByte), body: body.slice(0, body.search(/[\x80-\xff]/) + 1) }
    case 'in-body':
      return first(Math.floor(events.length / 2))
    case 'after-charge':
      return { body: undefined, tokens: events.length - 3 } // The others have the role, the finish reason and `[DONE]`.
  }
}

/** Returns what {@link expectOfStream} returns, for a response without streaming. */
function expectOfBody(place: LossPlace, body: string): { body: string | undefined; tokens: number } {
  const all = JSON.parse(body).usage.completion_tokens as number
  if (place === 'connection' || place === 'before-head') return { body: undefined, tokens: -PROMPT_TOKENS }
  if (place === 'in-head' || place === 'after-charge') return { body: undefined, tokens: all }
  return { body: place === 'in-body' ? body.slice(0, body.length / 2) : body, tokens: all }
}

const IN_STREAM: readonly LossPlace[] = ['before-first-token', 'after-first-token', 'in-event']

const CASES = ['on the fast path', 'through Fastify', 'in process'].flatMap((transport) =>
  LOSS_PLACES.flatMap((place) =>
    (['close', 'reset'] as const).flatMap((how) =>
      ([true, false] as const).map((stream) => ({ transport, place, how, stream })),
    ),
  ),
)

test.each(CASES)(
  'loses a response $transport at the place $place ($how, stream: $stream)',
  async ({ transport, place, how, stream }) => {
    const emulator = emulators[transport]
    if (emulator === undefined) throw new Error(`There is no emulator ${transport}.`)
    const fields = { stream }
    const whole = await lose(emulator, '', fields, emulator.createAccount({ credits: '1' }).key)
    const { key } = emulator.createAccount({ credits: '1' })
    const rule = `loseAt=${place}${place === 'connection' ? ',refuseMs=0' : ''}${how === 'reset' ? ',reset' : ''}`

    const outcome = await lose(emulator, rule, fields, key)

    const expected = (stream ? expectOfStream : expectOfBody)(place, whole.body ?? '')
    const isIgnored = !stream && IN_STREAM.includes(place)
    const lossCode = how === 'reset' || place === 'connection' ? 'ECONNRESET' : 'UND_ERR_SOCKET'
    expect(outcome).toEqual({ body: expected.body, code: isIgnored ? undefined : lossCode })
    await expect.poll(() => emulator.activeRequests()).toBe(0)
    const tokens = PROMPT_TOKENS + expected.tokens
    expect(emulator.balance(key)).toMatchObject({ chargedUnits: tokens * UNITS_PER_TOKEN, heldUnits: 0 })
    expect(emulator.requests(key)).toMatchObject([
      {
        fault: isIgnored ? null : 'x-touchstone-fault',
        status: expected.body === undefined ? null : 200,
        tokens,
        clientLeft: false,
      },
    ])
    if (place === 'connection' && 'url' in emulator) await waitUntilListening(emulator)
  },
)

test.each(['on', 'off'] as const)(
  'sends half of the head that a complete response would have (fast path %s)',
  async (fastPath) => {
    const rateLimit = { requestsPerMinute: 60, burst: 9 }
    const readRaw = async (fields: string) => {
      await using emulator = await startEmulator({ ...OPTIONS, fastPath, clock: createVirtualClock() })
      const { key } = emulator.createAccount({ credits: '1', rateLimit })
      const { head } = await sendRawRequest(
        emulator,
        `GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n${fields}\r\n`,
        { keepOpen: true },
      )
      return head
    }
    const whole = `${await readRaw('connection: close\r\n')}\r\n\r\n`
    expect(whole).toContain('x-ratelimit-limit-requests: 9\r\n')
    const half = await readRaw('connection: close\r\nx-touchstone-fault: loseAt=in-head\r\n')
    expect(half).toBe(whole.slice(0, whole.length / 2))
  },
)

/** Waits until the port accepts connections again. */
async function waitUntilListening(emulator: Emulator): Promise<void> {
  const isListening = () =>
    callControl(emulator, '/health').then(
      () => true,
      () => false,
    )
  await expect.poll(isListening).toBe(true)
}

test.each(['on', 'off'] as const)('keeps the ledger exact for 50 parallel clients (fast path %s)', async (fastPath) => {
  const delays = { ttft: createFixedDelay(5), itl: createFixedDelay(1) }
  const latency = { ...LATENCY_PROFILES.instant, chat: delays }
  await using emulator = await startEmulator({ ...OPTIONS, fastPath, latency, clock: createRealClock() })
  const random = createSeededRandom(1, 'places', 0)
  const whole = {
    stream: await lose(emulator, '', { stream: true }, emulator.createAccount({ credits: '1' }).key),
    body: await lose(emulator, '', { stream: false }, emulator.createAccount({ credits: '1' }).key),
  }
  const runClient = async () => {
    const place = LOSS_PLACES[random.integerBelow(LOSS_PLACES.length)] ?? 'in-body'
    const stream = random.integerBelow(2) === 0
    const rule = `loseAt=${place}${place === 'connection' ? ',refuseMs=5' : ''}${random.integerBelow(2) === 0 ? ',reset' : ''}`
    const { key } = emulator.createAccount({ credits: '1' })
    // The refusal for another client can close a connection before the emulator has read its request.
    for (; emulator.requests(key).length === 0; await setTimeout(2)) await lose(emulator, rule, { stream }, key)
    const { tokens } = stream
      ? expectOfStream(place, whole.stream.body ?? '')
      : expectOfBody(place, whole.body.body ?? '')
    return { key, place, chargedUnits: (PROMPT_TOKENS + tokens) * UNITS_PER_TOKEN }
  }
  const clients = await Promise.all(Array.from({ length: 50 }, runClient))
  expect(new Set(clients.map(({ place }) => place)).size).toBe(LOSS_PLACES.length)
  for (const { key, place, chargedUnits } of clients) {
    expect({ place, ...emulator.balance(key) }).toMatchObject({ place, chargedUnits, heldUnits: 0 })
  }
  await waitUntilListening(emulator)
  const text = await (await fetch(`${emulator.url}/__emulator/ledger`)).text()
  const entries = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LedgerLine]))
  const holds = entries.flatMap(({ kind, sequence }) => (kind === 'hold' ? [sequence] : []))
  const ends = entries.flatMap(({ kind, hold }) => (kind === 'hold' ? [] : [hold ?? 0]))
  expect(ends.toSorted((one, other) => one - other)).toEqual(holds)
  expect((await callControl(emulator, '/invariant')).json).toMatchObject({ holds: true })
})

interface LedgerLine {
  readonly sequence: number
  readonly kind: string
  /** Sequence number of the hold that this entry ends. */
  readonly hold?: number
}

/** The first token of the text is due after 50 ms, and the last one after 50 ms for each token. */
const ITL_MS = 50
const PACED = {
  ...LATENCY_PROFILES.instant,
  chat: { ttft: createFixedDelay(ITL_MS), itl: createFixedDelay(ITL_MS) },
}
const TOKENS = 5

test.each([
  ['in-head', true, ITL_MS, 0],
  ['in-head', false, ITL_MS * TOKENS, TOKENS],
  ['before-first-token', true, ITL_MS, 0],
  ['after-first-token', true, ITL_MS, 1],
  ['after-charge', true, ITL_MS * TOKENS, TOKENS],
  ['after-charge', false, ITL_MS * TOKENS, TOKENS],
  ['before-head', true, 0, -PROMPT_TOKENS],
] as const)(
  'loses a response at the place %s when it is due (stream: %s)',
  async (place, stream, dueMs, completionTokens) => {
    const clock = createVirtualClock()
    await using emulator = await startEmulator({
      clock,
      latency: PACED,
      answerTokens: TOKENS,
      faults: [`delayMs=100,loseAt=${place}`],
    })
    const { key } = emulator.createAccount({ credits: '1' })
    const request = sendChat(emulator, { stream }, { key })
    const outcome = request.then((response) => response.text()).catch(() => 'lost')
    await expect.poll(() => emulator.faults.list()[0]?.used).toBe(1)
    await clock.advanceInTurns(99 + dueMs)
    expect(emulator.activeRequests()).toBe(1)
    clock.advance(1)
    expect(await outcome).toBe('lost')
    const chargedUnits = (PROMPT_TOKENS + completionTokens) * UNITS_PER_TOKEN
    expect(emulator.balance(key)).toMatchObject({ chargedUnits, heldUnits: 0 })
  },
)

test('charges a client for the prompt if it disconnects before a stream is lost after its charge', async () => {
  const clock = createVirtualClock()
  await using emulator = await startEmulator({ clock, latency: PACED, faults: ['loseAt=after-charge'] })
  const { key } = emulator.createAccount({ credits: '1' })
  const controller = new AbortController()
  const request = sendChat(emulator, { stream: true }, { key, signal: controller.signal })
  await expect.poll(() => emulator.balance(key)?.heldUnits).toBeGreaterThan(0)
  clock.advance(2 * ITL_MS)
  controller.abort()
  await expect(request).rejects.toThrow('aborted')
  await expect.poll(() => emulator.activeRequests()).toBe(0)
  expect(emulator.balance(key)).toMatchObject({ chargedUnits: PROMPT_TOKENS * UNITS_PER_TOKEN, heldUnits: 0 })
})
