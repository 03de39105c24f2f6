import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { isEmulator, readBalance } from './emulator-client.ts'

const servers: Server[] = []
afterEach(() => servers.splice(0).forEach((server) => server.close()))

async function serve(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The address is a string only if a server listens on a pipe.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('does not follow a redirect of the control interface, with or without a key', async () => {
  const arrived: unknown[] = []
  const elsewhere = await serve(({ url, headers: { authorization } }, response) => {
    arrived.push([url, authorization])
    response.end('{"status":"ok","credits":"1"}')
  })
  const target = await serve(({ url }, response) => response.writeHead(307, { location: elsewhere + url }).end())
  expect(await isEmulator(target)).toBe(false)
  expect(await readBalance(target, 'sk-svc-good')).toBeUndefined()
  expect(arrived).toEqual([])
})

test.each([
  ['{"status":"ok","inFlight":0}', true],
  ['{"status":"locked"}', false],
  ['"ok"', false],
  ['<html>', false],
])('recognizes an emulator by %s: %s', async (health, expected) => {
  const target = await serve((_request, response) => response.end(health))
  expect(await isEmulator(target)).toBe(expected)
})
