import dns from 'node:dns'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { serveHttp } from '../../common/testing/local-server.ts'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { sendChat, postJson, transcribe, callControl } from './support/requests.ts'

/* Tests of the emulator's attack surface (docs/reference/threats.md). */

/** Addresses of this machine other than 127.0.0.1. On Linux, all addresses in 127.0.0.0/8 are loopback addresses. */
const OTHER_ADDRESSES = [
  ...Object.values(networkInterfaces())
    .flat()
    .flatMap((info) => (info?.family === 'IPv4' && !info.internal ? [info.address] : [])),
  ...(process.platform === 'linux' ? ['127.0.0.2'] : []),
]

function isReachable(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host })
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

const reachableAt = (emulator: Emulator) =>
  Promise.all(['127.0.0.1', ...OTHER_ADDRESSES].map((address) => isReachable(emulator.port, address)))

test('listens on loopback by default', async () => {
  await using usual = await startEmulator()
  expect(await reachableAt(usual)).toEqual([true, ...OTHER_ADDRESSES.map(() => false)])
  await using open = await startEmulator({ host: '0.0.0.0' })
  expect(await reachableAt(open)).toEqual([true, ...OTHER_ADDRESSES.map(() => true)])
})

test('listens on one address for localhost, even if that name has several', async () => {
  const both: { address: string; family: number }[] = ['127.0.0.1', '127.0.0.2'].map((address) => ({
    address,
    family: 4,
  }))
  const real = dns.lookup
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation((...args: unknown[]) => {
    const [hostname, , callback] = args
    if (hostname === 'localhost' && typeof callback === 'function') callback(null, both)
    else Reflect.apply(real, dns, args)
  })
  const emulator = await startEmulator({ host: 'localhost' })
  lookup.mockRestore()
  expect(await Promise.all(both.map(({ address }) => isReachable(emulator.port, address)))).toEqual([true, false])
  expect(emulator.url).toBe(`http://localhost:${emulator.port}`)
  await emulator.close()
})

/** Sends a GET request and returns its status. Unlike `fetch`, does not normalize the request target. */
function statusOf({ port, keys }: Emulator, path: string): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${keys.funded}` }
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, headers }, (respond) =>
      respond.resume().on('end', () => resolve(respond.statusCode)),
    )
    sent.on('error', reject).end()
  })
}

test('serves only images that it generated, and no files', async () => {
  await using emulator = await startEmulator()
  const result = await postJson(emulator, '/v1/images/generations', { model: 'o3-mini', prompt: 'x', size: '16x16' })
  const { data } = (await result.json()) as { data: [{ url: string }] }
  const { pathname } = new URL(data[0].url)
  expect(await statusOf(emulator, pathname)).toBe(200)
  const forged = [
    pathname.replace('16x16', '4096x4096'),
    pathname.replace(/.(?=\.png)/, (digit) => (digit === '0' ? '1' : '0')),
    pathname.replace('.png', '.png/../../../package.json'),
    '/v1/images/../../package.json',
    '/v1/images/..%2f..%2fpackage.json',
    '/v1/images/%2e%2e/%2e%2e/package.json',
    '/v1/images/..%5c..%5cpackage.json',
    '/v1/images//etc/passwd',
    '/v1/images/file:%2f%2f%2fetc%2fpasswd',
    '/v1/images/%00.png',
  ]
  for (const path of forged) expect([path, await statusOf(emulator, path)]).toEqual([path, 404])
})

describe('while recording', () => {
  const hostileTargets = (elsewhere: string) => [
    '/v1/models/../../../escaped',
    '/v1/models/..%2f..%2fescaped',
    '/v1/..%5cescaped',
    '/v1/models?../../escaped',
    `//${elsewhere}/v1/models`,
    `http://${elsewhere}/v1/models`,
    `http://user@${elsewhere}/v1/models`,
    `http://${elsewhere}@/v1/models`,
  ]

  test('writes files into the directory only, and sends keys to the upstream only', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'touchstone-exposure-'))
    const requested: string[] = []
    const serve = () =>
      serveHttp((incoming, response) => {
        requested.push(`${incoming.socket.localPort} ${incoming.headers.authorization}`)
        incoming.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{"id": "../x"}'))
      })
    await using upstream = await serve()
    await using elsewhere = await serve()
    const emulator = await startEmulator({
      record: upstream.url,
      recordDir: join(parent, 'recordings'),
    })
    for (const target of hostileTargets(new URL(elsewhere.url).host)) await statusOf(emulator, target)
    await (await sendChat(emulator, { model: '../../escaped' })).text()
    await (await transcribe(emulator, new Uint8Array(10))).text()
    await emulator.close()
    expect(new Set(requested)).toEqual(new Set([`${new URL(upstream.url).port} Bearer ${emulator.keys.funded}`]))
    expect(readdirSync(parent)).toEqual(['recordings'])
    const files = readdirSync(join(parent, 'recordings'))
    expect(files.length).toBeGreaterThanOrEqual(3)
    for (const name of files) expect(name).toMatch(/^\d{6}-(?:models|chat|transcriptions)-[\da-f]{12}\.json$/)
    rmSync(parent, { recursive: true })
  })
})

test('returns a full key only when the account is created', async () => {
  await using emulator = await startEmulator({ requestLog: { bodies: 65_536, digests: 1 } })
  const { json } = await callControl(emulator, '/accounts', { body: { credits: '1' } })
  const key: string = json.key
  await callControl(emulator, '/faults', { body: { key, status: 500, times: 1 } })
  for (const fields of [{}, { temperature: key }, { model: key }, { messages: key }])
    await (await sendChat(emulator, fields, { key })).text()
  await fetch(`${emulator.url}/v1/${key}?key=${key}`, { headers: { 'x-key': key } })
  const paths = [
    'accounts',
    'request-log',
    'ledger',
    'client-audit',
    'metrics',
    'faults',
    'timing',
    'timing/responses',
    'health',
  ]
  for (const path of [...paths, 'clock', 'openapi.json', '']) {
    const response = await fetch(`${emulator.url}/__emulator/${path}`)
    expect([path, response.status]).toEqual([path, 200])
    expect(await response.text()).not.toContain(key.slice(0, -4))
  }
})
