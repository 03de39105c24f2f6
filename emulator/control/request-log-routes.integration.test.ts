import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { parseLatency } from '../options/parse-latency.ts'
import { callControl, sendChat } from '../tests/support/requests.ts'

test('changes the limits of the request log for later requests', async () => {
  await using emulator = await startEmulator({ requestLog: { entries: 50, digests: 1 } })
  const change = async (body: object) => {
    const { status, json } = await callControl(emulator, '/request-log', { method: 'PATCH', body })
    await (await sendChat(emulator)).text()
    return [status, json]
  }
  const fixed = { entries: 50, bytes: 16_777_216 }
  expect(await change({ bodies: 65_536 })).toEqual([200, { ...fixed, bodies: 65_536, digests: 1 }])
  expect(await change({ digests: 0 })).toEqual([200, { ...fixed, bodies: 65_536, digests: 0 }])
  expect(await change({ bodies: 0, digests: 1 })).toEqual([200, { ...fixed, bodies: 0, digests: 1 }])
  const { entries } = (await callControl(emulator, '/request-log')).json
  expect(entries.map((entry: object) => ['bodies' in entry, 'requestHeaders' in entry, 'bodySha256' in entry])).toEqual(
    [
      [true, true, true],
      [true, true, false],
      [false, false, true],
    ],
  )
})

test('logs a request with the limits at its arrival', async () => {
  const clock = createVirtualClock()
  const latency = parseLatency('ttft=100ms')
  if (typeof latency === 'string') throw new Error(latency)
  await using emulator = await startEmulator({ clock, latency, requestLog: { bodies: 20 } })
  const pending = sendChat(emulator)
  await expect.poll(() => emulator.activeRequests()).toBe(1)
  await callControl(emulator, '/request-log', { method: 'PATCH', body: { bodies: 0, digests: 1 } })
  clock.advance(100)
  await (await pending).text()
  const [entry] = emulator.requests()
  expect(entry?.bodies?.request).toHaveLength(20)
  expect(entry).not.toHaveProperty('bodySha256')
})

test('restores the initial limits of the request log at a reset, but not when the log is cleared', async () => {
  await using emulator = await startEmulator({ requestLog: { bodies: 30 } })
  const readLength = async () => {
    await (await sendChat(emulator)).text()
    return emulator.requests().at(-1)?.bodies?.request.length
  }
  await callControl(emulator, '/request-log', { method: 'PATCH', body: { bodies: 7, digests: 1 } })
  await callControl(emulator, '/request-log', { method: 'DELETE' })
  expect(await readLength()).toBe(7)
  await callControl(emulator, '/reset', { method: 'POST' })
  expect(await readLength()).toBe(30)
  expect(emulator.requests()[0]).not.toHaveProperty('bodySha256')
})

const FORM = 'Send {"bodies": 65536}, {"digests": 1} or both, because only these limits can change at run time.'

test.each([
  [undefined, FORM],
  [{}, FORM],
  [[], FORM],
  ['bodies=5', FORM],
  [{ bodies: 1, entries: 5 }, FORM],
  [{ bytes: 5 }, FORM],
  [{ bodies: -1 }, "The bound 'bodies' must be an integer from 0 to 65536."],
  [{ bodies: 65_537 }, "The bound 'bodies' must be an integer from 0 to 65536."],
  [{ bodies: '5' }, "The bound 'bodies' must be an integer from 0 to 65536."],
  [{ bodies: 5, digests: true }, "The bound 'digests' must be an integer from 0 to 1."],
])('rejects the limits %j and changes none', async (body, error) => {
  await using emulator = await startEmulator()
  const { status, json } = await callControl(emulator, '/request-log', { method: 'PATCH', body })
  expect([status, json]).toEqual([400, { error }])
  await (await sendChat(emulator)).text()
  expect(emulator.requests()[0]).not.toHaveProperty('bodies')
})
