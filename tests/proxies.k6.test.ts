import { createServer } from 'node:https'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useK6 } from '../cli/testing/run-load.ts'
import { SELF_SIGNED_CERTIFICATE } from '../common/testing/certificate.ts'
import { startForwardProxy } from '../conformance/testing/forward-proxy.ts'
import { forwardRequest, startServer } from '../common/testing/local-server.ts'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'

const runLoad = useK6()
let emulator: Emulator

beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())

/** Starts a server with TLS that forwards requests to the emulator. */
function serveSecure() {
  const server = createServer(SELF_SIGNED_CERTIFICATE, (incoming, response) => {
    forwardRequest(emulator.url, incoming, response)
  })
  return startServer(server)
}

test.for(['http', 'https'])('loads an %s target through the proxy', async (scheme) => {
  await using secure = await serveSecure()
  await using forward = await startForwardProxy(scheme === 'https' ? secure.url : emulator.url)
  const flags = `--target ${scheme}://api.test --key KEY --insecure --no-calibration --iterations 8`
  const { load, stderr } = await runLoad(`${flags} --budget ttft.p50<=60s`, {
    known: { KEY: emulator.keys.funded },
    env: { [`${scheme.toUpperCase()}_PROXY`]: forward.url },
  })
  expect({ requests: load?.requests, stderr }).toMatchObject({ requests: { sent: 8, ok: 8 } })
  expect(stderr).toContain(`Requests to ${scheme}://api.test go through the proxy ${forward.url}`)
  // The emulator is behind the proxy, so its record does not describe the latency that the client measures.
  expect(load?.target.isEmulator).toBe(false)
  if (scheme === 'https') expect(new Set(forward.requests)).toEqual(new Set(['CONNECT api.test:443']))
  else expect(forward.requests.filter((line) => line === 'POST http://api.test/v1/chat/completions')).toHaveLength(8)
})
