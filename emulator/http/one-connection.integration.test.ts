import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'

const REQUEST_BODY = '{"model": "o3-mini", "max_tokens": 3, "messages": [{"role": "user", "content": "Go."}]}'

test('charges each request on a connection to its own key', async () => {
  await using emulator = await startEmulator({ answerTokens: 3 })
  const { funded, small } = emulator.keys
  const client = connect(emulator.port, '127.0.0.1').setEncoding('latin1')
  const ask = async (key: string) => {
    const fields = `host: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${REQUEST_BODY.length}\r\n`
    client.write(`POST /v1/chat/completions HTTP/1.1\r\n${fields}\r\n${REQUEST_BODY}`)
    const [received] = (await once(client, 'data')) as [string]
    return received.slice(9, 12)
  }
  const charged = () => [funded, small].map((key) => emulator.balance(key)?.chargedUnits)
  const statuses = [
    await ask(funded),
    await ask(funded),
    await ask(small),
    await ask('sk-svc-nobody'),
    await ask(funded),
  ]
  expect(statuses).toEqual(['200', '200', '200', '401', '200'])
  const [byFunded = 0, bySmall = 0] = charged()
  expect(bySmall).toBeGreaterThan(0)
  expect(byFunded).toBe(3 * bySmall)

  emulator.reset() // After the reset, the key belongs to a new account.
  expect(await ask(funded)).toBe('200')
  expect(charged()).toEqual([bySmall, 0])
  client.destroy()
})
