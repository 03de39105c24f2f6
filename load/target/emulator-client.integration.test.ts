import { type RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { forwardRequest, serveHttp } from '../../common/testing/local-server.ts'
import { delayAbort, isEmulator, readBalance, readRequestLog, readTimings, waitUntilIdle } from './emulator-client.ts'

async function serve(handler: RequestListener): Promise<string> {
  const server = await serveHttp(handler)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server.url
}

/** Starts a server whose control API responds like that of the emulator. */
const serveEmulator = () =>
  serve(({ url, socket: { remotePort } }, response) => {
    response.statusCode = url === '/__emulator/connection' ? 200 : 404
    response.end(JSON.stringify({ remotePort }))
  })

test('does not follow a redirect of the control API, with or without a key', async ({ signal }) => {
  const arrived: unknown[] = []
  const elsewhere = await serve(({ url, headers: { authorization }, socket }, response) => {
    arrived.push([url, authorization])
    response.end(JSON.stringify({ remotePort: socket.remotePort, credits: '1' }))
  })
  const target = await serve(({ url }, response) => response.writeHead(307, { location: elsewhere + url }).end())
  expect(await isEmulator(target, signal)).toBe(false)
  expect(await readBalance({ url: target, signal }, 'sk-svc-good')).toBeUndefined()
  expect(arrived).toEqual([])
})

test('recognizes an emulator to which it is connected directly', async ({ signal }) => {
  const emulator = await serveEmulator()
  expect(await isEmulator(emulator, signal)).toBe(true)
  expect(await isEmulator(`${emulator}/prefix`, signal)).toBe(false)
})

test('does not recognize an emulator behind a gateway that forwards every request unchanged', async ({ signal }) => {
  const emulator = await serveEmulator()
  const gateway = await serve((incoming, outgoing) => forwardRequest(emulator, incoming, outgoing))
  expect(await isEmulator(gateway, signal)).toBe(false)
})

test.each([
  ['{"remotePort":"none"}', 200],
  ['{"error":"This emulator requires a control token."}', 401],
])('does not take a target for an emulator if it responds with %s and status %d', async (body, status) => {
  const { signal } = new AbortController()
  const target = await serve((_request, response) => response.writeHead(status).end(body))
  expect(await isEmulator(target, signal)).toBe(false)
})

test('returns at once if a target closes or refuses the connection', async ({ signal }) => {
  const target = await serve((_request, response) => response.destroy())
  expect(await isEmulator(target, signal)).toBe(false)
  expect(await isEmulator('http://127.0.0.1:1', signal)).toBe(false)
  expect(await isEmulator(target.replace('http:', 'https:'), signal)).toBe(false)
})

test('does not wait for a response that arrives byte by byte', async ({ signal }) => {
  const target = await serve((_request, response) => {
    const timer = setInterval(() => response.write('1'), 10)
    response.on('close', () => clearInterval(timer))
  })
  expect(await isEmulator(target, signal, 100)).toBe(false)
})

const ENTRY = {
  seq: 1,
  id: 'req-1',
  account: null,
  operation: null,
  model: null,
  status: 200,
  atMs: 0,
  totalMs: 0,
  clientLeft: false,
  charged: '0',
  ignoredFields: [],
  path: '/v1/models',
}

test('stops reading a request log whose pages do not advance', async ({ signal }) => {
  const url = await serve((_request, response) => response.end(JSON.stringify({ entries: [ENTRY], next: 1 })))
  expect(await readRequestLog({ url, signal })).toHaveLength(2)
})

test('stops reading a request log without an end', async ({ signal }) => {
  const url = await serve(({ url: path = '' }, response) => {
    const next = Number(/after=(\d+)/.exec(path)?.[1]) + 1
    response.end(JSON.stringify({ entries: [ENTRY], next }).padEnd(100 * 2 ** 20))
  })
  await expect(readRequestLog({ url, signal })).rejects.toThrow('too large')
})

test.each([
  [{ entries: 'abc', next: null }, 'entries must be an array'],
  [{ entries: [null], next: null }, 'entries[0] must be an object'],
  [{ entries: [{ ...ENTRY, atMs: 'soon' }], next: null }, 'entries[0].atMs must be a number'],
])('rejects a record that is not one of an emulator: %j', async (page, problem) => {
  const { signal } = new AbortController()
  const url = await serve((_request, response) => response.end(JSON.stringify(page)))
  await expect(readRequestLog({ url, signal })).rejects.toThrow(problem)
  await expect(readTimings({ url, signal })).rejects.toThrow('responses is missing')
})

test('stops waiting for an emulator when its signal aborts', async () => {
  const controller = new AbortController()
  const url = await serve(() => controller.abort())
  const emulator = { url, signal: controller.signal }
  expect(await isEmulator(url, controller.signal)).toBe(false)
  await expect(readTimings(emulator)).rejects.toThrow('aborted')
  expect(await waitUntilIdle(emulator)).toBe(true)
})

test('delays an abort, also of a signal that is already aborted', async () => {
  const controller = new AbortController()
  const [before, after] = [delayAbort(controller.signal, 1), () => delayAbort(controller.signal, 1)]
  expect(before.aborted).toBe(false)
  controller.abort()
  expect(before.aborted).toBe(false)
  await expect.poll(() => before.aborted).toBe(true)
  const later = after()
  await expect.poll(() => later.aborted).toBe(true)
})
