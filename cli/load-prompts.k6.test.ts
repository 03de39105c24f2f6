import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { readBody, serveHttp } from '../common/testing/local-server.ts'
import { startEmulator } from '../emulator/start-emulator.ts'
import { runCli } from './testing/run-cli.ts'
import { buildEmulatorOptions, PERMISSIVE_LAG_BUDGET, useK6 } from './testing/run-load.ts'
import { readLoadDocument, runSegments } from './testing/run-segments.ts'
import { findTestK6 } from './testing/test-k6.ts'

const SLOW_TEST_MS = 600_000
const runLoad = useK6()
const received: unknown[] = []
beforeEach(() => void received.splice(0))

const user = (content: string) => ({ role: 'user', content })

async function writePrompts(...lines: readonly object[]): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'touchstone-load-')), 'prompts.jsonl')
  await writeFile(path, lines.map((line) => JSON.stringify(line)).join('\n'))
  return path
}

/** Starts a server that fails its first requests, and records the bodies of all. */
function startServer(failing: number) {
  return serveHttp(async (incoming, response) => {
    if (incoming.method !== 'POST') return void response.writeHead(404).end()
    const body: { readonly stream?: true } = JSON.parse(String(await readBody(incoming)))
    received.push(body)
    if (received.length <= failing) return void response.writeHead(503).end()
    const type = body.stream === true ? 'text/event-stream' : 'application/json'
    const text = { role: 'assistant', content: 'Hi' }
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
    const completion = JSON.stringify({ id: 'a', choices: [{ index: 0, message: text, delta: text }], usage })
    response.writeHead(200, { 'content-type': type })
    response.end(body.stream === true ? `data: ${completion}\n\ndata: [DONE]\n\n` : completion)
  })
}

test('sends the requests of a prompts file, and excludes those of the warm-up from the figures', async () => {
  // The first request tests the model.
  await using server = await startServer(1 + 10)
  const first = { messages: [user('A')], temperature: 0, max_tokens: 9 }
  const known = {
    SERVER: server.url,
    FILE: await writePrompts(first, { prompt: 'B' }),
    BODY: '{"max_completion_tokens":7,"user":"sk-svc-Fq7Lx2Vb9Tn4Rw8Z"}',
    KEY: 'sk-svc-Fq7Lx2Vb9Tn4Rw8Z',
  }
  const flags = '--model m --scenario chat --no-calibration --no-nonce'
  const line = `--target SERVER --key KEY ${flags} --prompts FILE --body BODY --rate 10 --duration 2s --warm-up 1s ${PERMISSIVE_LAG_BUDGET} --budget failed.count<=0`
  const { load, stdout } = await runLoad(line, { known })
  expect(load).toMatchObject({
    verdict: 'within-budgets',
    warmUp: { sent: 10, ok: 0, failed: 10, aborted: 0 },
    requests: { planned: 20, sent: 20, ok: 20, failed: 0, dropped: 0, byStatus: { 200: 20 } },
    metrics: { chat: { e2eMs: { n: 20 } } },
    settings: {
      warmUpS: 1,
      nonce: false,
      body: expect.stringMatching(/^{"max_completion_tokens":7,"user":"sha256:[\da-f]{8}"}$/),
      prompts: expect.stringMatching(/^prompts\.jsonl, 2 requests, sha256:[\da-f]{16}$/),
    },
  })
  expect(JSON.stringify(load) + stdout).not.toContain(known.KEY)
  expect(stdout).toContain('The warm-up sent 10 requests, of which 10 failed. The figures exclude them.')
  const bodies = received.slice(1).map((body) => JSON.stringify(body))
  const both = [
    { model: 'm', ...first, max_tokens: undefined, max_completion_tokens: 7, user: known.KEY },
    { model: 'm', messages: [user('B')], max_completion_tokens: 7, user: known.KEY },
  ].map((body) => JSON.stringify(body))
  expect(both.map((body) => bodies.filter((one) => one === body).length)).toEqual([15, 15])
})

test.each(['--iterations 4', '--arrivals closed --vus 2 --duration 1s'])(
  'warms up a closed loop with %s, and counts its credits',
  async (load) => {
    await using emulator = await startEmulator(buildEmulatorOptions({ latency: 'ttft=100ms' }))
    const { key } = emulator.createAccount({ credits: '100' })
    const known = { TARGET: emulator.url, KEY: key }
    const { load: document } = await runLoad(`--target TARGET --key KEY ${load} --warm-up 1s`, { known })
    const { warmUp, requests, credits } = document ?? expect.fail('the run wrote no document')
    expect(warmUp?.sent).toBeGreaterThan(0)
    expect(requests.planned).toBe(null)
    expect(requests.sent).toBeGreaterThan(0)
    const log = emulator.requests(key).filter(({ path }) => path === '/v1/chat/completions')
    expect((warmUp?.sent ?? 0) + requests.sent).toBe(log.length)
    expect(credits.counted).toBe(credits.ledger)
  },
)

test(
  'merges segments with a warm-up and a prompts file, which together send each planned request once',
  async () => {
    await using server = await startServer(0)
    const k6 = await findTestK6()
    const path = await writePrompts({ prompt: 'A' }, { prompt: 'B' }, { prompt: 'C' })
    const flags = `--model m --no-calibration --prompts ${path} --warm-up 1s`.split(' ')
    const { directory, runs } = await runSegments({
      target: server.url,
      getKey() {
        received.splice(0)
        return 'sk-svc-0123456789'
      },
      env: { TOUCHSTONE_K6: 'path' in k6 ? k6.path : '' },
      count: 2,
      argumentsOf: () => flags,
    })
    expect(runs.map(({ exitCode, stderr }) => (exitCode === 0 ? 0 : stderr))).toEqual([0, 0])
    const parts = [1, 2].map((segment) => join(directory, `load-chat-stream-${segment}-of-2.json`))
    const merge = await runCli(['report', 'merge', ...parts, '--out', join(directory, 'merged')])
    expect(merge.exitCode).toBe(0)
    const merged = await readLoadDocument(join(directory, 'merged', 'load-chat-stream.json'))
    expect(merged).toMatchObject({ warmUp: { sent: 30, ok: 30 }, requests: { planned: 60, sent: 60 } })
    const contents = received.flatMap((body) => JSON.stringify(body).match(/ref-[\w-]+: [ABC]/)?.[0] ?? [])
    expect([contents.length, new Set(contents).size]).toEqual([90, 90])
  },
  SLOW_TEST_MS,
)
