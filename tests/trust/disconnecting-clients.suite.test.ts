import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { TRANSPORTS } from '../../emulator/tests/support/servers.ts'
import { startEmulator, type Emulator, type FaultRule } from '../../emulator/start-emulator.ts'
import { createVirtualClock } from '../../emulator/state/clock.ts'
import { createFixedDelay, LATENCY_PROFILES, createLatencyProfile } from '../../emulator/state/latency.ts'

/**
 * Step of the virtual clock, which the tests advance themselves, so that each client disconnects at exactly the
 * intended stage.
 */
const STEP_MS = 1000
const LATENCY = createLatencyProfile(createFixedDelay(STEP_MS), createFixedDelay(STEP_MS), createFixedDelay(STEP_MS))
const MODEL = 'vendora-v4-flash'
/** Options for polling, with a timeout for a busy machine. No assertion depends on the time. */
const POLL_OPTIONS = { interval: 2, timeout: 30_000 }

const MESSAGES = [{ role: 'user', content: 'Say hello.' }]
const CHAT = ['/v1/chat/completions', { model: MODEL, messages: MESSAGES, max_tokens: 9 }] as const
const STREAM = [CHAT[0], { ...CHAT[1], stream: true }] as const
const IMAGE = ['/v1/images/generations', { model: MODEL, prompt: 'A boat.' }] as const
const SPEECH = ['/v1/audio/speech', { model: MODEL, input: 'Hello.' }] as const

function requestOf([path, body]: readonly [string, object], key: string): Buffer {
  const json = JSON.stringify(body)
  const fields = `host: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${json.length}`
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${fields}\r\n\r\n${json}`)
}

async function expectNoHeldCredits(
  emulator: Pick<Emulator, 'balance' | 'activeRequests'>,
  key: string,
): Promise<number> {
  await expect.poll(() => emulator.activeRequests(), POLL_OPTIONS).toBe(0)
  const balance = emulator.balance(key)
  if (balance === undefined) throw new Error('there is no such account')
  expect(balance.heldUnits).toBe(0)
  expect(balance.availableUnits).toBe(balance.startUnits - balance.chargedUnits)
  return balance.chargedUnits
}

test('charges nothing to a client that disconnects while it sends its request', async () => {
  await using emulator = await startEmulator({ latency: LATENCY_PROFILES.instant })
  const { key } = emulator.createAccount({ credits: '1' })
  const request = requestOf(CHAT, key)
  for (let sent = 0; sent < request.length; sent += 7) {
    const socket = connect(emulator.port, '127.0.0.1')
    await once(socket, 'connect')
    await new Promise((resolve) => socket.write(request.subarray(0, sent), resolve))
    socket.destroy()
    await once(socket, 'close')
  }
  expect(await expectNoHeldCredits(emulator, key)).toBe(0)
})

interface Stage {
  readonly stage: string
  readonly request: readonly [path: string, body: object]
  /** Milliseconds by which the clock advances before the client disconnects. */
  readonly afterMs: number
  readonly fault?: FaultRule
}

const STAGES: readonly Stage[] = [
  { stage: 'before the first token of a stream', request: STREAM, afterMs: 0 },
  { stage: 'in the middle of a stream', request: STREAM, afterMs: 3.5 * STEP_MS },
  { stage: 'before a non-streaming response', request: CHAT, afterMs: 0 },
  { stage: 'while the emulator generates an image', request: IMAGE, afterMs: 0 },
  { stage: 'while the emulator generates speech', request: SPEECH, afterMs: STEP_MS - 1 },
  { stage: 'while a fault delays the response', request: CHAT, afterMs: 0, fault: { delayMs: STEP_MS } },
  { stage: 'while a fault delays the stream', request: STREAM, afterMs: 4 * STEP_MS, fault: { itlMs: STEP_MS } },
  { stage: 'while a fault stalls the stream', request: STREAM, afterMs: 60 * STEP_MS, fault: { stallAfterEvents: 3 } },
  { stage: 'during a stream that never ends', request: STREAM, afterMs: 60 * STEP_MS, fault: { neverEnds: true } },
]

test.each(STAGES)('releases the hold of a client that disconnects $stage', async ({ request, afterMs, fault }) => {
  const clock = createVirtualClock()
  const faults = fault === undefined ? [] : [fault]
  await using emulator = await startEmulator({ clock, latency: LATENCY, answerTokens: 'fill', faults })
  const { key } = emulator.createAccount({ credits: '1' })
  const socket = connect(emulator.port, '127.0.0.1').resume()
  socket.write(requestOf(request, key))
  const isHeld = () => emulator.balance(key)?.availableUnits !== emulator.balance(key)?.startUnits
  await expect.poll(isHeld, POLL_OPTIONS).toBe(true)
  clock.advance(afterMs)
  expect(emulator.activeRequests()).toBe(1) // The response is not complete at this point.
  socket.resetAndDestroy()
  await expectNoHeldCredits(emulator, key)
})

test.each(TRANSPORTS)(
  '%s: holds no credits after a hundred clients disconnected at a hundred different times',
  async (_name, reach) => {
    const emulator = await reach({
      latency: createLatencyProfile(createFixedDelay(2), createFixedDelay(1), createFixedDelay(4)),
      answerTokens: 30,
    })
    const { key } = emulator.createAccount({ credits: '100' })
    const [path, body] = STREAM
    const clients = Array.from({ length: 100 }, async (_, index) => {
      const controller = new AbortController()
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify({ ...body, max_tokens: 30, stream: index % 3 > 0 }) }
      const requested = emulator.fetch(`${emulator.baseURL}${path.slice('/v1'.length)}`, {
        ...init,
        signal: controller.signal,
      })
      // The first client disconnects immediately, because on a stalled machine every response may arrive before a timer
      // fires.
      if (index === 0) controller.abort()
      else setTimeout(() => controller.abort(), index / 2)
      return requested.then((response) => response.text()).catch(() => 'disconnected')
    })
    expect(await Promise.all(clients)).toContain('disconnected')
    await expectNoHeldCredits(emulator, key)
    await emulator.close()
  },
)
