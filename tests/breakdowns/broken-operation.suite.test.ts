import { expect, test } from 'vitest'
import { OPERATIONS } from '../../contract/facts.ts'
import { runConformance } from '../../conformance/run-conformance.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { createFaultHandler, type RequestHandler, startFaultyProxy } from './faulty-proxy.ts'

const CHAT = OPERATIONS.chat.path
const BAD_GATEWAY = createFaultHandler(502)

async function runWith(choose: (method: string, path: string) => RequestHandler | undefined) {
  await using emulator = await startEmulator()
  await using proxy = await startFaultyProxy(emulator.url, (_position, { method = '', url = '' }) =>
    choose(method, url),
  )
  const { funded, noCredits, limited } = emulator.keys
  const { document } = await runConformance({
    url: proxy.url,
    keys: { funded, noCredits, limited },
  })
  const failed = document.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
  return {
    failed,
    summary: document.summary,
    titles: document.causes.map(({ title }) => title),
    sent: proxy.requests,
  }
}

test.concurrent('sends few requests to a target whose POST requests all break down, and names one cause', async () => {
  const { failed, titles, sent } = await runWith((method) => (method === 'POST' ? BAD_GATEWAY : undefined))
  expect(failed).toEqual(['7/breakdown-chat', '7/breakdown-images', '7/breakdown-transcriptions', '7/breakdown-speech'])
  expect(titles[0]).toMatch(
    /^Requests to `POST \/v1\/chat\/completions`, .* and `POST \/v1\/audio\/speech` break down with 502$/,
  )
  // A conforming target gets about 440 requests.
  expect(sent).toBeLessThan(300)
})

test.concurrent('sends few requests to images that always return 429 with Retry-After: 0, and tests the other operations', async () => {
  let images = 0
  const { failed, summary } = await runWith((_method, path) => {
    if (!path.startsWith(OPERATIONS.images.path)) return undefined
    images += 1
    return (_request, response) => void response.writeHead(429, { 'retry-after': '0' }).end('{}')
  })
  expect(failed).toEqual([])
  expect(summary.pass).toBeGreaterThan(150)
  expect(images).toBeLessThan(20)
})

test.concurrent('tests a target whose chats break down only for the first six seconds', async () => {
  let startMs: number | undefined
  const { failed, summary } = await runWith((_method, path) => {
    if (path !== CHAT) return undefined
    startMs ??= performance.now()
    return performance.now() - startMs < 6000 ? BAD_GATEWAY : undefined
  })
  expect(failed).toEqual(['7/breakdown-chat'])
  expect(summary.notTestable).toBeLessThan(10)
})

test.concurrent('fails no validation check because of an outage of chats in the middle of a run', async () => {
  let chats = 0
  let startMs: number | undefined
  const { failed } = await runWith((_method, path) => {
    if (path !== CHAT) return undefined
    chats += 1
    if (chats <= 20) return undefined
    startMs ??= performance.now()
    return performance.now() - startMs < 6000 ? BAD_GATEWAY : undefined
  })
  expect(failed.filter((id) => id !== '7/flakes')).toEqual(['7/breakdown-chat'])
})

test.concurrent('fails the breakdown check if chats stop for good in the middle of a run', async () => {
  let chats = 0
  const { failed } = await runWith((_method, path) => {
    if (path !== CHAT) return undefined
    chats += 1
    return chats <= 20 ? undefined : BAD_GATEWAY
  })
  expect(failed).toEqual(['7/breakdown-chat'])
})
