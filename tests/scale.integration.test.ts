import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../emulator/start-emulator.ts'
import { findFreePort } from '../common/testing/free-port.ts'

// Tests the setup that docs/reference/scale.md recommends, with the haproxy configuration that the page links to.
const CONFIGURATION = new URL('../docs/reference/haproxy.cfg', import.meta.url)
const HAPROXY = 'haproxy'
const isInstalled = spawnSync(HAPROXY, ['-v']).status === 0
const MODEL = 'o3-mini'

test('haproxy is installed', (context) => {
  if (!isInstalled) context.skip('haproxy is not installed: run `apt-get install haproxy`')
  expect(isInstalled).toBe(true)
})

describe.runIf(isInstalled)('two emulators behind haproxy', () => {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-scale-'))
  let emulators: readonly Emulator[] = []
  let front: ChildProcess
  let url = ''

  beforeAll(async () => {
    emulators = await Promise.all([startEmulator({ answerTokens: 20 }), startEmulator({ answerTokens: 20 })])
    const [frontPort, onePort, twoPort] = [await findFreePort(), emulators[0]?.port, emulators[1]?.port]
    const text = readFileSync(CONFIGURATION, 'utf8')
    const moved = text.replace(':8080', `:${frontPort}`).replace(':8081', `:${onePort}`).replace(':8082', `:${twoPort}`)
    const path = join(directory, 'haproxy.cfg')
    writeFileSync(path, moved)
    front = spawn(HAPROXY, ['-f', path, '-db'], { stdio: 'ignore' })
    url = `http://127.0.0.1:${frontPort}`
    await waitForResponse(url, front)
  })

  afterAll(async () => {
    if (front.exitCode === null) {
      const ended = once(front, 'exit')
      front.kill('SIGTERM')
      await ended
    }
    await Promise.all(emulators.map((emulator) => emulator.close()))
    rmSync(directory, { recursive: true })
  })

  const ask = (key: string, fields: object = {}, scheme = 'Bearer') =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `${scheme} ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, max_tokens: 20, messages: [{ role: 'user', content: 'Go.' }], ...fields }),
    })

  /** Creates an account on the emulator that haproxy selects for the account's key. */
  async function createAccount(credits: string): Promise<string> {
    const headers = { 'content-type': 'application/json' }
    for (let tries = 0; tries < 100; tries += 1) {
      const built = await fetch(`${url}/__emulator/accounts`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ credits }),
      })
      const { key } = (await built.json()) as { key: string }
      const seen = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
      if (seen.status === 200) return key
    }
    throw new Error('no account was created where its key leads')
  }

  test('haproxy sends each account to one of two emulators, and uses both', async () => {
    const keys = await Promise.all(Array.from({ length: 24 }, () => createAccount('10')))
    for (const key of keys) expect((await ask(key)).status).toBe(200)
    const homes = keys.map((key) => emulators.map((emulator) => (emulator.balance(key)?.chargedUnits ?? 0) > 0))
    expect(homes.filter(([one]) => one).length).toBeGreaterThan(0)
    expect(homes.filter(([, two]) => two).length).toBeGreaterThan(0)
    expect(homes.filter(([one, two]) => one === two)).toEqual([])
  })

  test('two emulators behind haproxy charge exactly: as many parallel requests succeed as the balance covers', async () => {
    const trial = await ask(emulators[0]?.keys.funded ?? '')
    const { usage } = (await trial.json()) as { usage: { total_tokens: number } }
    const charged = emulators.map((emulator) => emulator.balance(emulator.keys.funded)?.chargedUnits ?? 0)
    const perRequest = Math.max(...charged) / 10_000 // Converts units of 0.0001 credit to credits.
    expect([usage.total_tokens > 0, Math.min(...charged)]).toEqual([true, 0])
    const key = await createAccount((7.5 * perRequest).toFixed(4))
    const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await ask(key)).status))
    expect(statuses.filter((status) => status === 200)).toHaveLength(7)
    expect(statuses.filter((status) => status === 402)).toHaveLength(33)
  })

  test('two emulators behind haproxy accept the scheme of a key in any letter case, and forward a stream', async () => {
    const key = await createAccount('10')
    expect([(await ask(key, {}, 'bearer')).status, (await ask(key)).status]).toEqual([200, 200])
    const streamed = await (await ask(key, { stream: true })).text()
    expect(streamed).toMatch(/data: \[DONE\]\n\n$/)
  })

  test('haproxy requests an image from the emulator that generated it', async () => {
    const key = await createAccount('10')
    const response = await fetch(`${url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'vendorc-4o', prompt: 'A harbor.' }),
    })
    const { data } = (await response.json()) as { data: { url: string }[] }
    const address = data[0]?.url ?? ''
    expect(address.startsWith(`${url}/v1/images/`)).toBe(true)
    const statuses = await Promise.all(Array.from({ length: 4 }, async () => (await fetch(address)).status))
    expect(statuses).toEqual([200, 200, 200, 200])
  })
})

/**
 * Resolves when the server at a URL responds with any status.
 * @throws Error if haproxy has exited
 */
async function waitForResponse(url: string, front: ChildProcess): Promise<void> {
  for (;;) {
    const respond = await fetch(url).catch(() => undefined)
    if (respond !== undefined) return
    if (front.exitCode !== null) throw new Error(`haproxy ended with ${front.exitCode}`)
    await sleep(20)
  }
}
