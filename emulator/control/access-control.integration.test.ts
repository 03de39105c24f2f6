import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'
import { callControl, sendRawRequest } from '../tests/support/requests.ts'
import { findOriginProblem } from './access-control.ts'

const LOOPBACK = { boundHost: '127.0.0.1' }
const ALL_INTERFACES = { boundHost: '0.0.0.0' }

test.each([
  [{ host: 'localhost:8080' }, LOOPBACK],
  [{ host: '127.0.0.1:8080' }, LOOPBACK],
  [{ host: '127.8.9.10' }, LOOPBACK],
  [{ host: '[::1]:8080' }, LOOPBACK],
  [{ host: 'api.localhost' }, LOOPBACK],
  [{}, LOOPBACK],
  [{ host: 'Build-Box.example:80' }, { boundHost: 'build-box.example' }],
  [{ host: '10.1.2.3:8080' }, ALL_INTERFACES],
  [{ host: 'emulator:8080' }, ALL_INTERFACES],
  [{ host: 'fake.example' }, { boundHost: '127.0.0.1', publicUrl: 'https://fake.example/api' }],
  [{ host: 'localhost:8080', origin: 'http://localhost:8080' }, LOOPBACK],
])('accepts %j at %j', (asker, place) => {
  expect(findOriginProblem(asker, place)).toBeUndefined()
})

test.each([
  [{ host: 'evil.example' }, LOOPBACK],
  [{ host: 'evil.example:8080' }, ALL_INTERFACES],
  [{ host: '10.1.2.3' }, LOOPBACK],
  [{ host: 'localhost.evil.example' }, LOOPBACK],
  [{ host: '' }, LOOPBACK],
  [{ host: '127.evil.example' }, LOOPBACK],
  [{ host: 'localhost:8080', origin: 'http://localhost:3000' }, LOOPBACK],
  [{ host: 'localhost:8080', origin: 'null' }, LOOPBACK],
  [{ host: 'localhost:8080', origin: 'https://evil.example' }, LOOPBACK],
])('rejects %j at %j', (asker, place) => {
  expect(findOriginProblem(asker, place)).toMatch(/^(The Host|Pages of) .*\.$/)
})

test('rejects control requests from pages of other sites, but not API requests', async () => {
  await using emulator = await startEmulator()
  const foreign = { origin: 'https://evil.example' }
  const created = await fetch(`${emulator.url}/__emulator/accounts`, {
    method: 'POST',
    headers: { ...foreign, 'content-type': 'application/json' },
    body: '{"credits":"1"}',
  })
  expect(created.status).toBe(403)
  expect(await created.json()).toEqual({ error: expect.stringContaining('https://evil.example') })
  const rebound = await sendRawRequest(
    emulator,
    'GET /__emulator/accounts HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n',
  )
  expect(rebound.status).toBe(403)
  expect((await callControl(emulator, '/accounts')).json.accounts).toHaveLength(4)
  const api = await sendRawRequest(
    emulator,
    `GET /v1/models HTTP/1.1\r\nhost: any.example\r\nauthorization: Bearer ${emulator.keys.funded}\r\nconnection: close\r\n\r\n`,
  )
  expect(api.status).toBe(200)
})
