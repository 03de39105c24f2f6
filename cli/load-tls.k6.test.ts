import { mkdtemp, writeFile } from 'node:fs/promises'
import { createSecureServer, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SELF_SIGNED_CERTIFICATE } from '../common/testing/certificate.ts'
import { useK6 } from './testing/run-load.ts'

const runLoad = useK6()

const FIRST_MS = 40
const ITL_MS = 5
const WORDS = ['one', ' two', ' three']

/** HTTP version of each chat request that the server received. */
const versions: string[] = []
let target = ''
let ca = ''

const server = createSecureServer({ ...SELF_SIGNED_CERTIFICATE, allowHTTP1: true }, (request, response) => {
  if (request.url === '/v1/models') {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data": [{"id": "vendora-v4-flash"}]}')
    return
  }
  versions.push(request.httpVersion)
  void sendStream(response)
})

/**
 * Sends events one after another, because timers that start together may fire in a different order on a busy machine.
 */
async function sendStream(response: Http2ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = (delta: object, finish: string | null = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`)
  write({ role: 'assistant', content: '' })
  await setTimeout(FIRST_MS)
  for (const content of WORDS) {
    write({ content })
    await setTimeout(ITL_MS)
  }
  write({}, 'stop')
  response.end('data: [DONE]\n\n')
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The cast is safe: `address()` returns a string only for a server on a pipe.
  target = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  ca = join(await mkdtemp(join(tmpdir(), 'touchstone-tls-')), 'ca.pem')
  await writeFile(ca, SELF_SIGNED_CERTIFICATE.cert)
})

afterAll(() => void server.close())

beforeEach(() => void versions.splice(0))

const load = (more: string, address = target) =>
  runLoad(`--target TARGET --key sk-svc-any --no-calibration --iterations 12 ${more}`, {
    known: { TARGET: address, CA: ca },
  })

test.for(['--ca CA', '--insecure'])(
  'measures streams over TLS and HTTP/2 like those over plain HTTP: %s',
  async (trust, context) => {
    context.skip(
      trust.startsWith('--ca') && process.platform !== 'linux',
      'k6 takes certificates by a file on Linux only',
    )
    const { load: document, stderr } = await load(`${trust} --budget ttft.p50<=60s --budget itl.p50<=60s`)
    expect({ verdict: document?.verdict, stderr }).toMatchObject({ verdict: 'within-budgets' })
    expect(versions).toEqual(Array.from({ length: 12 }, () => '2.0'))
    expect(document?.requests).toMatchObject({ sent: 12, ok: 12 })
    const { ttftMs, itlMs, e2eMs } = document?.metrics['chat-stream'] ?? {}
    expect([ttftMs?.n, itlMs?.n, e2eMs?.n]).toEqual([12, 24, 12])
    // The server sends the first word FIRST_MS after the role. The tolerance covers Node.js timers, which may fire up
    // to a millisecond early.
    expect(ttftMs?.min).toBeGreaterThan(FIRST_MS - 2)
    expect(e2eMs?.min).toBeGreaterThan(ttftMs?.min ?? Infinity)
    expect(document?.validation).toMatchObject({ streams: 12, violations: [] })
  },
)

test('reports an untrusted certificate in one sentence', async () => {
  const { load: document, exitCode } = await load('--seed 1')
  expect(exitCode).toBe(3)
  expect(document?.reasons.join(' ')).toContain(
    'set --ca to a file with the certificate of its issuer, or --insecure to accept any',
  )
  expect(versions).toEqual([])
})

test('reports a target that accepts only HTTP/2', async () => {
  const strict = createSecureServer({ ...SELF_SIGNED_CERTIFICATE, allowHTTP1: false })
  await new Promise<void>((resolve) => strict.listen(0, '127.0.0.1', resolve))
  // The cast is safe: `address()` returns a string only for a server on a pipe.
  const address = `https://127.0.0.1:${(strict.address() as AddressInfo).port}`
  const { load: document, exitCode } = await load('--insecure', address)
  strict.close()
  expect([exitCode, document?.reasons]).toEqual([3, [expect.stringContaining('does not accept HTTP/1.1')]])
})
