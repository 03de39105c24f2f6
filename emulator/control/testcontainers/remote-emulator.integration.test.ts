import { expect, test } from 'vitest'
import { startEmulator, type Emulator, type EmulatorOptions } from '../../start-emulator.ts'
import { createRemoteHandle, type RemoteHandle } from './remote-emulator.ts'

/** Calls `use` with the remote handle of an emulator in the test process. */
async function withRemote(
  use: (remote: RemoteHandle, local: Emulator) => Promise<void>,
  options: EmulatorOptions = {},
  token?: string,
): Promise<void> {
  await using local = await startEmulator(options)
  await use(
    createRemoteHandle(() => ({ url: `${local.url}/__emulator`, token })),
    local,
  )
}

async function ask(url: string, key: string): Promise<number> {
  const messages = [{ role: 'user', content: 'Hello' }]
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'o3-mini', messages }),
  })
  await response.arrayBuffer()
  return response.status
}

test('creates accounts with credits, rate limit and balance', () =>
  withRemote(async (remote, local) => {
    const { id, key } = await remote.createAccount({ credits: '2.5', rateLimit: { requestsPerMinute: 1, burst: 1 } })
    expect(id).toBe('account-1')
    expect([await ask(local.url, key), await ask(local.url, key)]).toEqual([200, 429])
    const balance = await remote.balance(key)
    expect(balance).toEqual(local.balance(key))
    expect(balance).toMatchObject({ startUnits: 25_000, heldUnits: 0 })
    expect(balance?.chargedUnits).toBeGreaterThan(0)
  }))

test('returns the balance of standard accounts, and undefined for unknown keys', () =>
  withRemote(async (remote, local) => {
    expect(remote.keys).toEqual(local.keys)
    expect(await remote.balance(remote.keys.small)).toEqual(local.balance(local.keys.small))
    expect(await remote.balance('sk-svc-of-nobody-at-all')).toBeUndefined()
  }))

test('adds and sets the credits of an account', () =>
  withRemote(async (remote, local) => {
    const { key } = await remote.createAccount({ credits: '2', key: 'sk-svc-mine' })
    expect(key).toBe('sk-svc-mine')
    expect(await ask(local.url, key)).toBe(200)
    expect(await remote.addCredits(key, '2')).toEqual(local.balance(key))
    expect(await remote.balance(key)).toMatchObject({ startUnits: 20_000, addedUnits: 20_000 })
    expect(await remote.setCredits(key, '0')).toEqual(local.balance(key))
    expect(await remote.balance(key)).toMatchObject({ startUnits: 20_000, availableUnits: 0 })
    expect(await ask(local.url, key)).toBe(402)
    await expect(remote.addCredits('sk-svc-nobody', '1')).rejects.toThrow('No account has the key (hidden).')
  }))

test('changes the limits of the request log', () =>
  withRemote(async (remote, local) => {
    const limits = await remote.setRequestLogLimits({ bodies: 9 })
    expect(limits).toEqual({ entries: 10_000, bytes: 16_777_216, bodies: 9, digests: 0 })
    await ask(local.url, remote.keys.funded)
    expect((await remote.requests())[0]?.bodies?.request).toHaveLength(9)
    await expect(remote.setRequestLogLimits({ bodies: -1 })).rejects.toThrow("'bodies' must be an integer")
  }))

test('returns the client audit of all clients, or of one key', () =>
  withRemote(async (remote, local) => {
    const { key } = await remote.createAccount({ credits: '1' })
    const stranger = 'sk-svc-of-nobody-at-all'
    const secret = await fetch(`${local.url}/v1/models?api_key=x`, { headers: { authorization: `Bearer ${key}` } })
    await secret.arrayBuffer()
    await ask(local.url, remote.keys.funded)
    await ask(local.url, stranger)
    expect(await remote.auditClients()).toEqual(local.auditClients())
    expect(await remote.auditClients(key)).toEqual(local.auditClients(key))
    expect(await remote.auditClients(key)).toMatchObject({ clean: false, requests: 1 })
    expect(await remote.auditClients(remote.keys.funded)).toMatchObject({ clean: true, requests: 1 })
    expect(await remote.auditClients(stranger)).toEqual(local.auditClients(stranger))
    expect(await remote.auditClients(stranger)).toMatchObject({ requests: 1 })
    expect(await remote.auditClients('sk-svc-of-somebody-else')).toMatchObject({ clean: true, requests: 0 })
  }))

test('lists the requests of all clients, or of one key', () =>
  withRemote(
    async (remote, local) => {
      const { key } = await remote.createAccount({ credits: '10' })
      for (const one of [key, remote.keys.funded, 'sk-svc-of-nobody-at-all']) await ask(local.url, one)
      expect(await remote.requests()).toEqual(local.requests())
      expect((await remote.requests()).map(({ status }) => status)).toEqual([200, 200, 401])
      for (const one of [key, remote.keys.funded, 'sk-svc-of-nobody-at-all']) {
        expect(await remote.requests(one)).toEqual(local.requests(one))
        expect(await remote.requests(one)).toHaveLength(1)
      }
      for (let index = 0; index < 1000; index += 1) await ask(local.url, 'sk-svc-of-nobody-at-all')
      expect(await remote.requests()).toHaveLength(1003)
    },
    { requestLog: { bodies: 1000 } },
  ))

test('adds and removes fault rules, and counts their injections', () =>
  withRemote(async (remote, local) => {
    const added = await remote.faults.add('operation=chat,times=1,status=503')
    await remote.faults.add({ operation: 'speech', drop: true })
    expect(added).toMatchObject({ id: 'fault-1', enabled: true, used: 0 })
    expect([await ask(local.url, local.keys.funded), await ask(local.url, local.keys.funded)]).toEqual([503, 200])
    expect((await remote.faults.list()).map(({ id, matched, used }) => [id, matched, used])).toEqual([
      ['fault-1', 2, 1],
      ['fault-2', 0, 0],
    ])
    await remote.faults.clear()
    expect(await remote.faults.list()).toEqual([])
  }))

test('counts requests in progress, and removes accounts on reset', () =>
  withRemote(
    async (remote, local) => {
      const { key } = await remote.createAccount({ credits: '1' })
      const controller = new AbortController()
      const requested = fetch(`${local.url}/v1/models`, {
        headers: { authorization: `Bearer ${key}` },
        signal: controller.signal,
      }).catch(() => undefined)
      await expect.poll(() => remote.activeRequests()).toBe(1)
      controller.abort()
      await requested
      await remote.reset()
      expect(await remote.balance(key)).toBeUndefined()
    },
    { faults: ['operation=models,delayMs=30000'] },
  ))

test("rejects with the message of the emulator's error response", () =>
  withRemote(async (remote) => {
    await expect(remote.createAccount({ credits: 'many' })).rejects.toThrow(
      'The emulator rejected POST /accounts (400): "credits" must be a decimal string',
    )
    await expect(remote.faults.add('status=5000')).rejects.toThrow(
      /^The emulator rejected POST \/faults \(400\): "status"/,
    )
  }))

test('sends the control token with every request', async () => {
  const controlToken = 'open-sesame'
  await withRemote((remote) => expect(remote.balance('x')).rejects.toThrow('(401): '), { controlToken })
  await withRemote((remote) => expect(remote.balance('x')).resolves.toBeUndefined(), { controlToken }, controlToken)
})

test('rejects when the emulator is unreachable', async () => {
  const stopped = await startEmulator()
  await stopped.close()
  const remote = createRemoteHandle(() => ({ url: `${stopped.url}/__emulator` }))
  await expect(remote.auditClients()).rejects.toThrow(
    `Cannot reach the emulator at ${stopped.url}/__emulator. It may have been stopped.`,
  )
})
