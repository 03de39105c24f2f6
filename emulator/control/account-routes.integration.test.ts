import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'
import { callControl, sendChat } from '../tests/support/requests.ts'

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

test('lists accounts in the order of creation, or a page of the last ones', async () => {
  await using emulator = await startEmulator()
  for (let index = 0; index < 3; index += 1) emulator.createAccount({ credits: '1' })
  const read = async (query: string) => {
    const { status, json } = await callControl(emulator, `/accounts${query}`)
    return json.error ?? [status, json.accounts.map(({ id }: { id: string }) => id).join(' ')]
  }
  expect(await read('')).toEqual([200, 'funded empty small limited account-1 account-2 account-3'])
  expect(await read('?tail=2')).toEqual([200, 'account-2 account-3'])
  expect(await read('?tail=2&before=account-2')).toEqual([200, 'limited account-1'])
  expect(await read('?tail=2&before=empty')).toEqual([200, 'funded'])
  expect(await read('?tail=2&before=funded')).toEqual([200, ''])
  expect(await read('?tail=0')).toContain("'tail' must be an integer")
  expect(await read('?before=nobody')).toContain("no account 'nobody'")
  expect(await read('?limit=2')).toContain("Unknown parameter 'limit'")
})
