import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
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
  const respond = await sendChat(emulator, {}, { key })
  const { usage } = (await respond.json()) as { usage: { total_tokens: number } }
  const credits = (10_000 - usage.total_tokens * 4) / 10_000
  expect(await read({ authorization: `Bearer ${key}` })).toEqual([200, { credits: String(credits) }])
  expect(await read({ authorization: `Bearer ${emulator.keys.noCredits}` })).toEqual([200, { credits: '0' }])
  expect((await read({ authorization: 'Bearer sk-svc-nobody' }))[0]).toBe(401)
  expect((await read({}))[0]).toBe(401)
})

test('lists accounts in the order of creation, or a page of the last accounts', async () => {
  await using emulator = await startEmulator()
  for (let index = 0; index < 3; index += 1) emulator.createAccount({ credits: '1' })
  const read = async (query: string) => {
    const { status, json } = await callControl(emulator, `/accounts${query}`)
    return json.error ?? [status, json.accounts.map(({ id }: { id: string }) => id).join(' ')]
  }
  expect(await read('')).toEqual([200, 'funded no-credits small limited account-1 account-2 account-3'])
  expect(await read('?tail=2')).toEqual([200, 'account-2 account-3'])
  expect(await read('?tail=2&before=account-2')).toEqual([200, 'limited account-1'])
  expect(await read('?tail=2&before=no-credits')).toEqual([200, 'funded'])
  expect(await read('?tail=2&before=funded')).toEqual([200, ''])
  expect(await read('?tail=0')).toContain("'tail' must be an integer")
  expect(await read('?before=nobody')).toContain("no account 'nobody'")
  expect(await read('?limit=2')).toContain("Unknown parameter 'limit'")
})

async function sendControl(url: string, method: string, path: string, body?: unknown): Promise<[number, unknown]> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${url}/__emulator${path}`, { method, headers, ...sent })
  return [response.status, await response.json()]
}

test('adds credits to an account and sets its balance, and records both in the ledger', async () => {
  await using emulator = await startEmulator()
  const { url } = emulator
  const { key, id } = emulator.createAccount({ credits: '1' })
  const ask = async () => (await sendChat(emulator, { max_tokens: 2500 }, { key })).status
  expect(await sendControl(url, 'PATCH', `/accounts/${id}`, { credits: '0' })).toEqual([
    200,
    { id, keyFingerprint: fingerprintSecret(key), credits: '0', held: '0', charged: '0', added: '-1' },
  ])
  expect(await ask()).toBe(402)
  expect((await sendControl(url, 'POST', `/accounts/${id}/credits`, { add: '5.5' }))[1]).toMatchObject({
    credits: '5.5',
    added: '4.5',
  })
  expect(await ask()).toBe(200)
  const { chargedUnits = 0 } = emulator.balance(key) ?? {}
  expect(chargedUnits).toBeGreaterThan(0)

  const lines = (await (await fetch(`${url}/__emulator/ledger?account=${id}`)).text()).trimEnd().split('\n')
  const entries: { kind: string; credits: string }[] = lines.map((line) => JSON.parse(line))
  expect(entries.map(({ kind, credits }) => (kind === 'adjust' ? `${kind} ${credits}` : kind))).toEqual([
    'adjust -1',
    'adjust 5.5',
    'hold',
    'settle',
  ])
  expect(Object.keys(entries[0] ?? {})).toEqual(['sequence', 'kind', 'time', 'account', 'credits'])
  const [, invariant] = await sendControl(url, 'GET', '/invariant')
  const { holds, accounts } = invariant as { holds: boolean; accounts: { id: string }[] }
  expect(holds).toBe(true)
  expect(accounts.find((account) => account.id === id)).toMatchObject({
    holds: true,
    start: '1',
    added: '4.5',
    charged: String(chargedUnits / 10_000),
    available: String((55_000 - chargedUnits) / 10_000),
    entries: 4,
  })
})

test.each([
  ['PATCH', '/accounts/nobody', { credits: '1' }, 404, "There is no account 'nobody'."],
  ['POST', '/accounts/nobody/credits', { add: '1' }, 404, "There is no account 'nobody'."],
  ['PATCH', '/accounts/small', { credits: '-1' }, 400, '"credits" must be a decimal string'],
  ['PATCH', '/accounts/small', { credits: 5 }, 400, 'Send a JSON object such as {"credits": "12.5"}.'],
  ['PATCH', '/accounts/small', { credits: '5', burst: 1 }, 400, 'Send a JSON object such as {"credits": "12.5"}.'],
  ['POST', '/accounts/small/credits', { credits: '5' }, 400, 'Send a JSON object such as {"add": "12.5"}.'],
  ['POST', '/accounts/small/credits', { add: '100000000000' }, 400, 'at most 100000000000 credits'],
  ['POST', '/accounts', { credits: '5', key: 'sk-svc-touchstone-small' }, 409, 'Another account has this key.'],
  ['POST', '/accounts', { credits: '5', key: 'sk-other-mine' }, 400, '"key" must be sk-svc- followed by'],
])('rejects %s %s with %j', async (method, path, body, status, sentence) => {
  await using emulator = await startEmulator()
  const [actual, { error }] = (await sendControl(emulator.url, method, path, body)) as [number, { error: string }]
  expect([actual, error]).toEqual([status, expect.stringContaining(sentence)])
  expect(error).not.toContain('sk-other-mine')
  expect(emulator.balance(emulator.keys.small)).toMatchObject({ availableUnits: 10_000 })
})

test('creates an account with a key that the caller chooses', async () => {
  await using emulator = await startEmulator()
  const key = 'sk-svc-mine'
  const [status, account] = await sendControl(emulator.url, 'POST', '/accounts', { credits: '1', key })
  expect([status, account]).toEqual([201, { id: 'account-1', key, keyFingerprint: '(hidden)', credits: '1' }])
  expect((await sendChat(emulator, {}, { key })).status).toBe(200)
})
