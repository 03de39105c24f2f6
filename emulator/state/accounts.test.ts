import { expect, test, vi } from 'vitest'
import { Accounts, STANDARD_ACCOUNT_KEYS, type Account } from './accounts.ts'
import { createVirtualClock } from './clock.ts'

/** Collects all keys that are looked up in a map while `act` runs. */
function collectLookups(act: () => void): unknown[] {
  const get = vi.spyOn(Map.prototype, 'get')
  const has = vi.spyOn(Map.prototype, 'has')
  act()
  const lookedUp = [...get.mock.calls, ...has.mock.calls].map(([key]) => key)
  get.mockRestore()
  has.mockRestore()
  return lookedUp
}

test('finds an account only by its complete key', () => {
  const accounts = new Accounts(createVirtualClock())
  const { key, id } = accounts.create({ startUnits: 1 }) as Account
  expect(accounts.findByKey(key)?.id).toBe(id)
  expect(accounts.findByKey(STANDARD_ACCOUNT_KEYS.funded)?.id).toBe('funded')
  for (const wrong of ['', key.slice(0, -1), `${key} `, key.toUpperCase()]) {
    expect(accounts.findByKey(wrong)).toBeUndefined()
  }
})

test('compares keys by salted digests of equal length', () => {
  const [accounts, others] = [new Accounts(createVirtualClock()), new Accounts(createVirtualClock())]
  const wrong = STANDARD_ACCOUNT_KEYS.funded.slice(0, -1)
  const sought = collectLookups(() => {
    for (const key of [STANDARD_ACCOUNT_KEYS.funded, wrong]) for (const each of [accounts, others]) each.findByKey(key)
  })
  expect(sought).toHaveLength(4)
  expect(new Set(sought).size).toBe(4) // Each `Accounts` object has its own random salt.
  for (const text of sought) expect(text).toMatch(/^[\w+/]{43}=$/)
})

test('restores the accounts given at startup after a reset, with the same IDs and keys', () => {
  const given = [{ startUnits: 5, key: 'sk-svc-mine' }, { startUnits: 7 }]
  const accounts = new Accounts(createVirtualClock(), { createdRate: { requestsPerMinute: 9 } }, given)
  const list = () =>
    accounts
      .all()
      .slice(4)
      .map(({ id, key, ledger, limiters }) => [id, key, ledger.balance().availableUnits, limiters?.requests?.limit])
  const before = list()
  expect(before).toEqual([
    ['account-1', 'sk-svc-mine', 5, 1],
    ['account-2', expect.stringMatching(/^sk-svc-[\w-]{24}$/), 7, 1],
  ])
  expect(accounts.findByKey('sk-svc-mine')).toBe(accounts.findById('account-1'))
  accounts.findByKey('sk-svc-mine')?.ledger.adjust(10)
  expect(accounts.create({ startUnits: 1, key: 'sk-svc-other' })).toMatchObject({
    id: 'account-3',
    key: 'sk-svc-other',
  })
  expect(accounts.create({ startUnits: 1, key: 'sk-svc-other' })).toBe('key-in-use')
  accounts.reset()
  expect(list()).toEqual(before)
  expect(accounts.findByKey('sk-svc-other')).toBeUndefined()
})
