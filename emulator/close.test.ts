import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from './start-emulator.ts'
import { realClock, virtualClock } from './state/clock.ts'
import { chat } from './testing/call.ts'
import { fixed, LATENCY_PROFILES } from './timing/latency.ts'

/** A stream whose second token is due in an hour. */
const AN_HOUR = { ...LATENCY_PROFILES.instant, chat: { ttft: fixed(0), gap: fixed(3_600_000) } }

/** Closes the emulator while a stream stands. @returns what its account holds and was charged then, and what the client saw */
async function closeUnderWay(emulator: Emulator) {
  const { key } = emulator.createAccount({ credits: '1' })
  const response = await chat(emulator, { stream: true }, { key })
  const reading = response.text().catch((error: unknown) => error)
  await emulator.close()
  return { seen: await reading, ...emulator.balance(key) }
}

test('what waits for a clock that stands is broken off and settled when the emulator is closed', async () => {
  const emulator = await startEmulator({ latency: AN_HOUR, answerTokens: 5, clock: virtualClock() })
  const { seen, heldUnits, chargedUnits } = await closeUnderWay(emulator)
  expect(seen).toMatchObject({ message: 'terminated' })
  expect(heldUnits).toBe(0)
  expect(chargedUnits).toBeGreaterThan(0)
})

test('closing waits no longer than it may', async () => {
  const emulator = await startEmulator({ latency: AN_HOUR, answerTokens: 5, clock: realClock(), drainLimitMs: 50 })
  const { seen, heldUnits } = await closeUnderWay(emulator)
  expect(seen).toMatchObject({ message: 'terminated' })
  expect(heldUnits).toBe(0)
})

test('closing does not wait for a connection by which nothing ever came', async () => {
  const emulator = await startEmulator({ drainLimitMs: 2 ** 31 - 1 })
  const socket = connect(emulator.port, '127.0.0.1')
  const gone = once(socket.resume(), 'close')
  await once(socket, 'connect')
  await chat(emulator) // by now it is taken
  await emulator.close() // with that limit, a wait is a hang
  expect(await gone).toEqual([false])
})
