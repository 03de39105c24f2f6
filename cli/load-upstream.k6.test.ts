import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readBody, serveHttp } from '../common/testing/local-server.ts'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import { buildEmulatorOptions, useK6 } from './testing/run-load.ts'

const runLoad = useK6()
let emulator: Emulator
const closing: (() => PromiseLike<void>)[] = []

beforeEach(async () => {
  emulator = await startEmulator(buildEmulatorOptions({ latency: 'ttft=20ms,itl=10ms' }))
  closing.push(emulator.close)
})

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface GatewayOptions {
  readonly delayMs?: number
  /** Whether the gateway blocks the emulator's control API. */
  readonly hidesControl?: boolean
  /** Whether the gateway forwards a POST twice if it is every second request. */
  readonly duplicates?: boolean
  /** Whether the gateway buffers each response until it is complete, and removes its usage. */
  readonly buffers?: boolean
}

async function startGateway({ delayMs = 0, hidesControl, duplicates, buffers }: GatewayOptions): Promise<string> {
  let count = 0
  const forward = (incoming: IncomingMessage, body: Buffer, onResponse: (response: IncomingMessage) => void) => {
    const { method, headers, url = '' } = incoming
    request(emulator.url + url, { method, headers }, onResponse).end(body)
  }
  const server = await serveHttp(async (incoming, outgoing) => {
    if (hidesControl === true && incoming.url?.startsWith('/v1/') !== true) return outgoing.writeHead(404).end()
    count += 1
    const isTwice = duplicates === true && incoming.method === 'POST' && count % 2 === 0
    const body = await readBody(incoming)
    await setTimeout(delayMs)
    if (isTwice) forward(incoming, body, (result) => result.resume())
    return forward(incoming, body, (response) => respond(response, outgoing, buffers === true))
  })
  closing.unshift(() => server[Symbol.asyncDispose]())
  return server.url
}

function respond(response: IncomingMessage, outgoing: ServerResponse, isBuffered: boolean): void {
  outgoing.writeHead(response.statusCode ?? 502, response.headers)
  if (isBuffered)
    void readBody(response).then((body) => outgoing.end(body.toString().replace(/data: .*"usage".*\n\n/, '')))
  else response.pipe(outgoing)
}

const load = (line: string) => runLoad(`${line} --key FUNDED`, { known: { FUNDED: emulator.keys.funded } })

test(
  'evaluates a gateway in the same way whether or not it forwards the control API of the emulator',
  { timeout: 360_000 },
  async () => {
    for (const [delayMs, hidesControl] of [
      [0, false],
      [0, true],
      [200, false],
      [200, true],
    ] as const) {
      const url = await startGateway({ delayMs, hidesControl })
      const { load: document } = await load(
        `--target ${url} --upstream ${emulator.url} --iterations 12 --max-tokens 4 --budget ttft.p50<=60s`,
      )
      expect(document).toMatchObject({
        verdict: 'within-budgets',
        target: { isEmulator: false },
        metrics: { 'chat-stream': { ttftMs: { error: { p99Ms: expect.any(Number) } } } },
        credits: { ledger: null },
        upstream: { added: { ttftMs: { p50: { lowMs: expect.any(Number), highMs: expect.any(Number) } } } },
      })
      // The measured time includes the delay of the gateway. Its timer may fire up to a millisecond early.
      expect(document?.metrics['chat-stream']?.ttftMs?.p50).toBeGreaterThanOrEqual(20 + delayMs - 1)
      expect(document?.upstream?.added.ttftMs?.p50.ms).toBeGreaterThanOrEqual(delayMs - 1)
    }
  },
)

test('measures the latency that a gateway adds, and names duplicated requests', async () => {
  const url = await startGateway({ delayMs: 50, duplicates: true })
  const line = `--target ${url} --upstream ${emulator.url} --iterations 12 --max-tokens 8 --no-calibration`
  const { load: document, stdout, exitCode } = await load(`${line} --budget added.ttft.p50<=20ms`)
  expect(document?.upstream).toMatchObject({
    url: emulator.url,
    method: 'record',
    compared: 12,
    responses: 12,
    forwarding: { sent: 12, isIdentified: true, retried: 0, withheld: 0, lost: 0, repeated: 0 },
  })
  const { forwarding, credits, added } = document?.upstream ?? {}
  expect(forwarding?.received).toBe(12 + (forwarding?.duplicated ?? 0))
  expect(forwarding?.duplicated).toBeGreaterThan(0)
  expect(Number(credits?.charged)).toBeGreaterThan(Number(credits?.seen))
  // The gateway adds at least 50 ms, but its timer may fire up to a millisecond early.
  expect(added?.ttftMs?.p50.ms).toBeGreaterThanOrEqual(49)
  expect(exitCode).toBe(1)
  expect(stdout).toContain('Added by the gateway')
  if (process.platform === 'linux') {
    expect(document?.calibration).toBeNull()
    expect(added?.ttftMs?.max.lowMs).toBeLessThanOrEqual(added?.ttftMs?.max.ms ?? 0)
    expect(stdout).toContain('Bounds: calculated from the times')
  }
  expect(stdout).toMatch(/The gateway duplicated \d+ of 12 requests/)
})

test('names a gateway that buffers streams and removes their usage', async () => {
  const url = await startGateway({ buffers: true })
  const { load: document, stdout } = await load(
    `--target ${url} --upstream ${emulator.url} --iterations 6 --max-tokens 8 --no-calibration`,
  )
  expect(document?.upstream?.streams).toMatchObject({ rebatched: 0 })
  expect(document?.upstream?.streams?.buffered).toBeGreaterThan(0)
  expect(stdout).toContain('The gateway buffers streams')
  expect(stdout).toContain('The gateway removes usage: 6 of 6 streams arrived without usage')
})

test('alternates between the gateway and an upstream that is not an emulator', async () => {
  const [url, upstream] = [await startGateway({ delayMs: 50 }), await startGateway({ hidesControl: true })]
  const line = `--target ${url} --upstream ${upstream} --iterations 48 --max-tokens 2 --no-calibration`
  const { load: document } = await load(`${line} --budget added.ttft.p50<=10ms`)
  expect(document?.upstream).toMatchObject({
    url: upstream,
    method: 'turns',
    compared: 48,
    responses: 48,
    forwarding: null,
  })
  expect(document?.requests.sent).toBe(48)
  expect(document?.upstream?.added.ttftMs?.p50.lowMs).not.toBeNull()
  expect(document?.upstream?.added.ttftMs?.p50.highMs).not.toBeNull()
  const { stdout } = await load(
    `--target ${url} --upstream ${upstream} --scenario soak --iterations 4 --no-calibration`,
  )
  expect(stdout).toContain('This is not possible with the scenario soak')
})
