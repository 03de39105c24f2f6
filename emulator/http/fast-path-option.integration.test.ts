import { expect, test } from 'vitest'
import { startTestServer } from '../tests/support/servers.ts'
import { STANDARD_ACCOUNT_KEYS } from '../state/accounts.ts'

const list = (port: number) =>
  fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { authorization: `Bearer ${STANDARD_ACCOUNT_KEYS.funded}` } })

test("handles every request with Node's HTTP server if the fast path is off", async () => {
  await using server = await startTestServer({}, undefined, 'off')
  expect((await list(server.port)).status).toBe(200)
  expect((await list(server.port)).status).toBe(200)
  expect(server.requestsByNode()).toBe(2)
})
