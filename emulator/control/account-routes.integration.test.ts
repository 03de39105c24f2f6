import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'
import { sendChat } from '../tests/support/requests.ts'

test('returns the balance of the authenticated account', async () => {
  await using emulator = await startEmulator()
  const { key } = emulator.createAccount({ credits: '1' })
  const read = async (headers: Record<string, string>) => {
    const response = await fetch(`${emulator.url}/__emulator/balance`, { headers })
    return [response.status, await response.json()]
  }
  const answer = await sendChat(emulator, {}, { key })
  const { usage } = (await answer.json()) as { usage: { total_tokens: number } }
  const credits = (10_000 - usage.total_tokens * 4) / 10_000
  expect(await read({ authorization: `Bearer ${key}` })).toEqual([200, { credits: String(credits) }])
  expect(await read({ authorization: `Bearer ${emulator.keys.empty}` })).toEqual([200, { credits: '0' }])
  expect((await read({ authorization: 'Bearer sk-svc-nobody' }))[0]).toBe(401)
  expect((await read({}))[0]).toBe(401)
})
