import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../../start-emulator.ts'
import { sendChat } from '../../tests/support/requests.ts'
import { startTestServer } from '../../tests/support/servers.ts'
import { STANDARD_ACCOUNT_KEYS } from '../../state/accounts.ts'

const REQUEST_BODY = '{"model": "o3-mini", "messages": [{"role": "user", "content": "Go."}]}'

function requestBy(key: string): string {
  const fields = `host: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${REQUEST_BODY.length}\r\n`
  return `POST /v1/chat/completions HTTP/1.1\r\n${fields}\r\n${REQUEST_BODY}`
}

/** Waits until the server has read all earlier bytes and sent all responses that were due immediately. */
async function untilRead(emulator: Emulator): Promise<void> {
  for (let call = 0; call < 3; call += 1) await (await sendChat(emulator)).arrayBuffer()
}

test('sends no further response to a client that does not read', async () => {
  const bytes = 24_000_000 // Larger than the socket buffers of the operating system.
  const body = { padding: 'x'.repeat(bytes), usage: { total_tokens: 9 } }
  await using emulator = await startEmulator({ fixtures: [{ message: 'Go.', body }] })
  const { key } = emulator.createAccount({ credits: '10' })
  const socket = connect(emulator.port, '127.0.0.1').pause()
  await once(socket, 'connect')
  const charges: unknown[] = []
  for (let request = 0; request < 3; request += 1) {
    socket.write(requestBy(key))
    await untilRead(emulator)
    charges.push(emulator.balance(key)?.chargedUnits)
  }
  expect(charges).toEqual([360, 360, 360])
  let read = 0
  for await (const piece of socket as AsyncIterable<Buffer>) {
    read += piece.length
    if (read > 3 * bytes) break
  }
  expect(emulator.balance(key)?.chargedUnits).toBe(3 * 360)
})

test('charges nothing to a client that disconnects before its request is processed', async () => {
  await using served = await startTestServer()
  served.server.on('connection', (socket) => socket.once('data', () => socket.destroy()))
  const client = connect(served.port, '127.0.0.1').resume()
  client.write(requestBy(STANDARD_ACCOUNT_KEYS.funded))
  await once(client, 'close')
  await expect.poll(() => served.instance.load.received).toBe(1)
  await expect.poll(() => served.instance.load.inFlight).toBe(0)
  const account = served.instance.accounts.findByKey(STANDARD_ACCOUNT_KEYS.funded)
  expect(account?.ledger.balance()).toMatchObject({ chargedUnits: 0, heldUnits: 0 })
})
