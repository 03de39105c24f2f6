import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { createFixedDelay, LATENCY_PROFILES } from '../state/latency.ts'
import { sendChat } from './support/requests.ts'

const control = (emulator: Emulator, path: string) => fetch(`${emulator.url}/__emulator/${path}`)

async function linesOf(emulator: Emulator, query: string): Promise<Record<string, unknown>[]> {
  const text = await (await control(emulator, `ledger${query}`)).text()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

test('lists an entry for each hold and its end, with the request ID', async () => {
  await using emulator = await startEmulator({ clock: createVirtualClock(), answerTokens: 'fill' })
  const { key, id } = emulator.createAccount({ credits: '1' })
  const other = emulator.createAccount({ credits: '1' })
  const response = await sendChat(emulator, { max_tokens: 5 }, { key })
  const request = response.headers.get('x-request-id')
  const { usage } = (await response.json()) as { usage: { total_tokens: number } }
  const rejected = await sendChat(emulator, { max_tokens: 5000 }, { key })
  expect(rejected.status).toBe(402)
  await sendChat(emulator, { max_tokens: 5 }, other)
  const what = { account: id, request, model: 'vendora-v4-flash', time: '2025-06-15T15:06:40.000Z' }
  const credits = String((usage.total_tokens * 4) / 10_000)
  expect(await linesOf(emulator, `?account=${id}`)).toEqual([
    { ...what, sequence: 1, kind: 'hold', credits, tokens: usage.total_tokens },
    { ...what, sequence: 2, kind: 'settle', hold: 1, credits, freed: '0', tokens: usage.total_tokens },
  ])
  expect((await linesOf(emulator, '')).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
  expect((await linesOf(emulator, '?after=2')).map(({ account }) => account)).toEqual([other.id, other.id])
  const whole = await control(emulator, 'ledger')
  expect(whole.headers.get('x-touchstone-dropped-entries')).toBe('0')
  expect(await whole.text()).not.toContain(key)
  expect((await control(emulator, 'ledger?account=nobody')).status).toBe(404)
  expect((await control(emulator, 'ledger?after=x')).status).toBe(400)
  emulator.reset()
  expect(await linesOf(emulator, '')).toEqual([])
})

test('checks the invariant of every account, including open holds', async () => {
  const clock = createVirtualClock()
  const latency = { ...LATENCY_PROFILES.instant, chat: { ttft: createFixedDelay(0), itl: createFixedDelay(1) } }
  await using emulator = await startEmulator({ clock, latency, answerTokens: 5 })
  const { key, id } = emulator.createAccount({ credits: '1' })
  const invariantOf = async () => {
    const { holds, accounts } = (await (await control(emulator, 'invariant')).json()) as {
      holds: boolean
      accounts: { id: string }[]
    }
    expect(holds).toBe(true)
    return accounts.find((account) => account.id === id)
  }
  const stream = await sendChat(emulator, { max_tokens: 10, stream: true }, { key })
  const { heldUnits = 0 } = emulator.balance(key) ?? {}
  const base = { id, keyFingerprint: fingerprintSecret(key), holds: true, faults: [], start: '1', dropped: 0 }
  const held = String(heldUnits / 10_000)
  const available = String((10_000 - heldUnits) / 10_000)
  expect(heldUnits).toBeGreaterThan(0)
  expect(await invariantOf()).toEqual({ ...base, charged: '0', held, available, openHolds: 1, entries: 1 })
  clock.advance(1000)
  await stream.text()
  const charged = String((heldUnits - 5 * 4) / 10_000)
  const rest = String((10_000 - heldUnits + 5 * 4) / 10_000)
  expect(await invariantOf()).toEqual({ ...base, charged, held: '0', available: rest, openHolds: 0, entries: 2 })
})

/** Options of `expect.poll` with a timeout that suffices on busy machines. */
const POLL_OPTIONS = { interval: 1, timeout: 60_000 }

/** Counts the stream events in the raw bytes of an HTTP response. */
const framesIn = (received: string) => received.match(/^data: /gm)?.length ?? 0

test.each([0, 1, 2, 7, 30])(
  'charges a client that aborts a stream after %i token intervals for the tokens it received',
  async (gaps) => {
    const clock = createVirtualClock()
    const latency = { ...LATENCY_PROFILES.instant, chat: { ttft: createFixedDelay(50), itl: createFixedDelay(50) } }
    await using emulator = await startEmulator({ clock, latency, answerTokens: 'fill' })
    const { key } = emulator.createAccount({ credits: '1' })
    const promptTokens = await promptTokensOf()
    const body = JSON.stringify({ ...QUESTION, max_tokens: 100, stream: true })
    const socket = connect(emulator.port, '127.0.0.1')
    const fields = `host: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${body.length}`
    socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${fields}\r\n\r\n${body}`)
    await expect.poll(() => emulator.balance(key)?.heldUnits, POLL_OPTIONS).toBeGreaterThan(0)

    let received = ''
    socket.setEncoding('utf8').on('data', (text: string) => (received += text))
    // The role and the first token are due after 50 ms; each later token is due one inter-token latency after the
    // previous one.
    for (let gap = 0; gap < gaps; gap += 1) {
      clock.advance(50)
      const frames = gap + 2
      await expect.poll(() => framesIn(received), POLL_OPTIONS).toBe(frames)
    }
    socket.destroy()
    await once(socket, 'close')
    await expect.poll(() => emulator.balance(key)?.heldUnits, POLL_OPTIONS).toBe(0)
    expect(emulator.balance(key)).toMatchObject({ chargedUnits: (promptTokens + gaps) * 4, heldUnits: 0 })
    expect((await linesOf(emulator, '')).at(-1)).toMatchObject({ kind: 'settle', tokens: promptTokens + gaps })
  },
  60_000,
)

const QUESTION = { model: 'vendora-v4-flash', messages: [{ role: 'user', content: 'Say hello.' }] }

/** Counts the prompt tokens of the message by means of an emulator without latency. */
async function promptTokensOf(): Promise<number> {
  await using emulator = await startEmulator()
  const { usage } = (await (await sendChat(emulator, QUESTION)).json()) as { usage: { prompt_tokens: number } }
  return usage.prompt_tokens
}
