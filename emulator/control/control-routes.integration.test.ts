import { get } from 'node:http'
import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'
import { callControl, sendChat } from '../tests/support/requests.ts'

test('returns 404 with the names of all routes for an unknown route, but not to another site', async () => {
  await using emulator = await startEmulator()
  for (const [method, path] of [
    ['GET', '/journl'],
    ['DELETE', '/accounts'],
  ] as const) {
    const { status, json } = await callControl(emulator, path, { method })
    const names =
      'accounts, balance, client-audit, clock, connection, faults, fixtures, health, invariant, ledger, metrics, openapi.json, request-log, reset, timing'
    const error = `The control API has no route ${method} /__emulator${path}. It has routes for: ${names}.`
    expect([status, json]).toEqual([404, { error }])
  }
  const headers = { origin: 'https://evil.example' }
  expect((await fetch(`${emulator.url}/__emulator/request-lgo`, { headers })).status).toBe(403)
})

test('accepts a control request with a JSON content type and an empty body', async () => {
  await using emulator = await startEmulator()
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(`${emulator.url}/__emulator/reset`, { method: 'POST', headers })).status).toBe(204)
  const { status, json } = await callControl(emulator, '/accounts', { body: '' })
  expect([status, json.error]).toEqual([400, expect.stringContaining('Send a JSON object')])
})

test('reads the JSON body of a control request with any content type or none', async () => {
  await using emulator = await startEmulator()
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', undefined]) {
    const headers = new Headers(type === undefined ? {} : { 'content-type': type })
    const body = new TextEncoder().encode('{"message": "Hi.", "text": "Hello!"}')
    const response = await fetch(`${emulator.url}/__emulator/fixtures`, { method: 'POST', headers, body })
    expect([type, response.status]).toEqual([type, 201])
  }
})

test('names the problem of a body that is not JSON or has a member __proto__', async () => {
  await using emulator = await startEmulator()
  const post = async (body: string) =>
    (await fetch(`${emulator.url}/__emulator/fixtures`, { method: 'POST', body })).text()
  expect(await post('{"message":')).toMatch(/^{"error":"The body is invalid: .*JSON/)
  expect(JSON.parse(await post('{"text": "Hi.", "__proto__": {}}'))).toEqual({
    error: 'The body is invalid: a member has the name "__proto__", which is not allowed.',
  })
})

test('returns the write times of one response', async () => {
  await using emulator = await startEmulator()
  for (let index = 0; index < 2; index += 1) await (await sendChat(emulator, { stream: true })).text()
  const read = async (query: string) => (await callControl(emulator, `/timing/responses${query}`)).json
  expect((await read('')).responses).toHaveLength(2)
  expect((await read('?id=req-2')).responses).toMatchObject([{ requestId: 'req-2' }])
  expect(await read('?id=req-9')).toEqual({ responses: [] })
  expect((await read('?name=req-2')).error).toContain("Unknown parameter 'name'")
})

test('returns the addresses of both ends of the connection, but not without the control token', async () => {
  await using emulator = await startEmulator()
  const [localPort, json] = await new Promise<[number | undefined, unknown]>((resolve, reject) => {
    get(`${emulator.url}/__emulator/connection`, { agent: false }, (response) => {
      const { localPort } = response.socket // Undefined after the connection has closed.
      response.setEncoding('utf8').on('data', (text: string) => resolve([localPort, JSON.parse(text)]))
    }).on('error', reject)
  })
  const { hostname: address, port } = new URL(emulator.url)
  expect(json).toEqual({
    remoteAddress: address,
    remotePort: localPort,
    localAddress: address,
    localPort: Number(port),
  })
  await using locked = await startEmulator({ controlToken: 'open-sesame-1234' })
  expect((await fetch(`${locked.url}/__emulator/connection`)).status).toBe(401)
})
