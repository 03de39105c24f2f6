import { type IncomingHttpHeaders, request } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import { startLoadTarget } from './testing/load-targets.ts'
import { K6_BUILD_TIMEOUT_MS, runLoad, SLOW_TEST_TIMEOUT_MS } from './testing/run-load.ts'
import { findTestK6 } from './testing/test-k6.ts'

const SECRET = 'secret-value-1234'

let k6 = ''
let missing: string | undefined
let emulator: Emulator

beforeAll(async () => {
  const found = await findTestK6()
  if ('problem' in found) missing = found.problem
  else k6 = found.path
  emulator = await startEmulator()
}, K6_BUILD_TIMEOUT_MS)
afterAll(() => emulator.close())
beforeEach((context) => context.skip(missing !== undefined, missing))

/** Starts a gateway that records the headers of each request. With `apiKey`, it requires this value in `x-api-key`. */
async function startGateway(apiKey?: string) {
  const received: IncomingHttpHeaders[] = []
  const { url, close } = await startLoadTarget((incoming, response) => {
    const { method, headers } = incoming
    received.push(headers)
    if (apiKey !== undefined && headers['x-api-key'] !== apiKey) {
      response.writeHead(403).end()
      return
    }
    const forwarded = request(emulator.url + incoming.url, { method, headers }, (result) => {
      response.writeHead(result.statusCode ?? 502, result.headers)
      result.pipe(response)
    })
    incoming.pipe(forwarded)
  })
  return { url, received, [Symbol.asyncDispose]: close }
}

test(
  'adds headers to every request of a load run, and hides the secret ones',
  { timeout: SLOW_TEST_TIMEOUT_MS },
  async () => {
    await using gateway = await startGateway(SECRET)
    const { load, stdout, stderr } = await runLoad(
      `--target GATEWAY --key KEY --header API_KEY --header TENANT --scenario mixed --no-calibration --count-prompts --iterations 12`,
      {
        k6,
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
  },
)

test('adds no header to the requests to an upstream', { timeout: SLOW_TEST_TIMEOUT_MS }, async () => {
  await using gateway = await startGateway(SECRET)
  await using upstream = await startGateway()
  const { load, stderr } = await runLoad(
    `--target GATEWAY --upstream UPSTREAM --key KEY --header API_KEY --no-calibration --iterations 16 --scenario chat`,
    {
      k6,
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
