import type { IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import { forwardRequest, serveHttp } from '../common/testing/local-server.ts'
import { useK6 } from './testing/run-load.ts'

const SECRET = 'secret-value-1234'

const runLoad = useK6()
let emulator: Emulator

beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())

/** Starts a gateway that records the headers of each request. With `apiKey`, it requires this value in `x-api-key`. */
async function startGateway(apiKey?: string) {
  const received: IncomingHttpHeaders[] = []
  const server = await serveHttp((incoming, response) => {
    if (incoming.url?.startsWith('/v1/') !== true) return response.writeHead(404).end()
    if (incoming.url === '/v1/models') return response.end('{"data": []}')
    received.push(incoming.headers)
    if (apiKey !== undefined && incoming.headers['x-api-key'] !== apiKey) return response.writeHead(403).end()
    return forwardRequest(emulator.url, incoming, response)
  })
  return { url: server.url, received, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('adds headers to every request of a load run, and hides the secret ones', async () => {
  await using gateway = await startGateway(SECRET)
  const { load, stdout, stderr } = await runLoad(
    `--target GATEWAY --key KEY --header API_KEY --header TENANT --scenario mixed --no-calibration --iterations 12`,
    {
      known: {
        GATEWAY: gateway.url,
        KEY: emulator.keys.funded,
        API_KEY: `X-Api-Key: ${SECRET}`,
        TENANT: 'x-tenant: blue',
      },
    },
  )
  expect({ requests: load?.requests, stderr }).toMatchObject({ requests: { sent: 12, ok: 12 } })
  expect(gateway.received.filter((headers) => headers['x-tenant'] !== 'blue')).toEqual([])
  expect(load?.command).toContain("--header 'X-Api-Key: …' --header 'x-tenant: blue'")
  expect(JSON.stringify(load) + stdout + stderr).not.toContain(SECRET)
})

test('adds no header to the requests to an upstream', async () => {
  await using gateway = await startGateway(SECRET)
  await using upstream = await startGateway()
  const { load, stderr } = await runLoad(
    `--target GATEWAY --upstream UPSTREAM --key KEY --header API_KEY --no-calibration --iterations 16 --scenario chat`,
    {
      known: {
        GATEWAY: gateway.url,
        UPSTREAM: upstream.url,
        KEY: emulator.keys.funded,
        API_KEY: `x-api-key: ${SECRET}`,
      },
    },
  )
  expect({ failed: load?.requests.failed, stderr }).toMatchObject({ failed: 0 })
  expect(upstream.received.length).toBeGreaterThan(0)
  expect(upstream.received.filter((headers) => headers['x-api-key'] !== undefined)).toEqual([])
})
