import { afterAll, beforeAll, expect, test } from 'vitest'
import { readBody, serveHttp, type LocalServer } from '../../common/testing/local-server.ts'
import { applyDefaults } from '../options/load-options.ts'
import { planLoad } from '../plan/plan-load.ts'
import { waitUntilQuiet } from './wait-until-quiet.ts'

const received: unknown[] = []
let busyResponses = 0
let server: LocalServer

beforeAll(async () => {
  server = await serveHttp(async (request, response) => {
    received.push(JSON.parse(String(await readBody(request))))
    response.writeHead(received.length <= busyResponses ? 503 : 200).end('{}')
  })
})
afterAll(() => server[Symbol.asyncDispose]())

async function wait(scenario: string, signal = new AbortController().signal): Promise<void> {
  received.splice(0)
  const plan = await planLoad(applyDefaults({ target: server.url, scenario, maxTokens: 150 }))
  await waitUntilQuiet(plan, { url: server.url, keys: {} }, { signal, responseMs: 1 })
}

test('repeats a small request until a busy target serves it', async () => {
  busyResponses = 1
  await wait('chat-stream')
  expect(received).toHaveLength(2)
  expect(received[0]).toMatchObject({ max_tokens: 16 })
})

test('sends no request for a scenario without small requests, and none after an interruption', async () => {
  await wait('transcriptions')
  await wait('chat-stream', AbortSignal.abort())
  expect(received).toEqual([])
})
