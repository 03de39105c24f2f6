import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { readBody, serveHttp } from '../common/testing/local-server.ts'
import { fingerprintSecret } from '../common/secrets/fingerprint.ts'
import { echoSecret, findEchoedRuns } from '../common/secrets/testing/echoes.ts'
import { REPORT_FORMATS, renderReport } from '../reports/render-files.ts'
import { findRunnerCommands, RUNNER_COMMANDS } from '../common/testing/runner-commands.ts'
import { runCliInSharedProcess } from './testing/run-cli.ts'

const KEYS = {
  '--key': 'sk-svc-Fq7Lx2Vb9Tn4Rw8Zk3Mc6Yd1Hs5Gj0',
  '--no-credits-key': 'sk-svc-Pa1Se2Dr3Ft4Gz5Hu6Ji7Ko8Lp9Xc0',
  '--limited-key': 'sk-svc-Qw0Er9Tz8Ui7Op6As5Df4Gh3Jk2Lm1',
}
const GATEWAY_HEADER = 'x-gateway-password: Vc3Bn5Mq7Wy9Xz2Kd4'
const SECRETS = [...Object.values(KEYS), GATEWAY_HEADER.slice('x-gateway-password: '.length)]

/** Starts a server that calls `respond` for each request, and passes its address to `use`. */
async function withServer<T>(
  respond: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  use: (url: string) => Promise<T>,
): Promise<T> {
  await using server = await serveHttp(async (request, response) =>
    respond(request, response, (await readBody(request)).toString('latin1')),
  )
  return await use(server.url)
}

function argumentsFor(url: string): string[] {
  return ['conformance', '--target', url, ...Object.entries(KEYS).flat(), '--header', GATEWAY_HEADER]
}

/** Number of requests that `echo` has received. It selects the encoding in which the next response contains the secrets. */
let echoed = 0

/**
 * Repeats the secret headers of a request in every part of the response, each time in another encoding, and in streams
 * split over the deltas. Padding of varying length moves the position at which the suite truncates output.
 */
function echo(request: IncomingMessage, response: ServerResponse, body: string): void {
  const sent = [request.headers.authorization?.replace('Bearer ', ''), request.headers['x-gateway-password']].map(
    String,
  )
  echoed += 1
  const encoded = sent.map((secret) => echoSecret(secret, echoed)).join(' ')
  const isImage = request.url?.startsWith('/v1/images/') === true && request.method === 'GET'
  const filler = 'x'.repeat((body.length * 7 + (request.url?.length ?? 0)) % 80)
  const text = `${filler}${encoded}`
  const url = `http://${request.headers.host}/v1/images/${encodeURIComponent(encoded)}.png`
  const document = {
    id: text,
    object: text,
    created: text,
    model: text,
    text,
    [text]: text,
    usage: text,
    error: { message: text, code: text },
  }
  const choices = [
    { index: text, message: { role: text, content: text }, delta: { role: text, content: text }, finish_reason: text },
  ]
  // An encoding with JSON escapes is not escaped again.
  const toJson = (value: unknown): string => JSON.stringify(value).replaceAll(String.raw`\\u`, String.raw`\u`)
  const json = toJson({ ...document, choices, data: [{ url, id: text, object: text, owned_by: text, items: sent }] })
  const pieces = encoded.match(/.{1,5}/gs) ?? []
  const deltas = pieces.map(
    (content) => `data: ${toJson({ id: 'chatcmpl-1', choices: [{ index: 0, delta: { content } }] })}\n\n`,
  )
  const isStream = body.includes('"stream":true')
  const header = text.replaceAll(/[^ -~]/g, '')
  response.writeHead(isImage && filler.length % 2 === 0 ? 404 : 200, {
    'content-type': isStream ? 'text/event-stream' : `application/json; was=${sent[0]}`,
    'x-request-id': header,
    'retry-after': header,
    location: url,
  })
  response.end(isStream ? `event: ${text}\nid: ${text}\n${deltas.join('')}data: ${json}\n\ndata: ${text}\n\n` : json)
}

/** Returns all strings of a JSON value, and the joined text of the deltas in the events of each stream. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  const deltas = 'events' in value && Array.isArray(value.events) ? [joinDeltas(value.events)] : []
  return [...Object.keys(value), ...Object.values(value).flatMap(listTexts), ...deltas]
}

function joinDeltas(events: readonly { readonly data: string }[]): string {
  return events.map(({ data }) => /"delta":\{"content":"((?:[^"\\]|\\.)*)"/.exec(data)?.[1] ?? '').join('')
}

/** Checks that send each encoding several times, in each kind of response. The nightly tier runs all checks. */
const ECHOED_CHECKS = process.env['TOUCHSTONE_LONG'] === '1' ? [] : ['--only', '2.1,2.3,2.4,4.2/stream-events']

test('prints no key, even if the target returns the whole request in any encoding', async () => {
  const { printed, run } = await withServer(echo, async (url) => ({
    run: await runCliInSharedProcess([...argumentsFor(url), ...ECHOED_CHECKS]),
    printed: await runCliInSharedProcess([...argumentsFor(url), '--json', '--only', '2.1']),
  }))
  expect(run.exitCode).toBe(1)
  const { document } = run
  if (document === undefined) throw new Error('the run wrote no document')
  // Ensures that the report contains the echo, with the key masked.
  expect(JSON.stringify(document)).toContain(`was=${fingerprintSecret(KEYS['--key'])}`)
  const reports = await Promise.all(REPORT_FORMATS.map((format) => renderReport(document, format)))
  const texts = [run.stdout, run.stderr, printed.stdout, printed.stderr, ...listTexts(document), ...reports]
  for (const secret of SECRETS) expect(findEchoedRuns(texts, secret.replace('sk-svc-', ''))).toEqual([])
})

test('escapes terminal control characters of a target', async () => {
  const received = '\u001b[2J\u001b]0;title\u0007 \u009b31m \u202e <script>alert(1)</script> \r\rCONFORMANT'
  const json = JSON.stringify({
    id: received,
    object: received,
    model: received,
    text: received,
    choices: [],
    data: [{ id: received, url: received }],
  })
  const { run, written } = await withServer(
    (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(json),
    async (url) => {
      const file = await runCliInSharedProcess([
        ...argumentsFor(url),
        '--verbose',
        '--only',
        '2.1,2.3,4.2/stream-events,7/error-body-429',
      ])
      return {
        run: file,
        written: await runCliInSharedProcess([...argumentsFor(url), '--json', '--only', '2.1']),
      }
    },
  )
  expect(run.stdout).toContain('NON-CONFORMANT')
  expect(run.stdout).toContain('\\u{9b}31m')
  for (const text of [run.stdout, run.stderr, written.stdout]) {
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  }
})

/** Responds to every request with commands of CI runners, as every text of the response. */
function respondWithCommands(request: IncomingMessage, response: ServerResponse, body: string): void {
  const text = RUNNER_COMMANDS.map((command) => `${command}\n`).join('')
  const header = '##[add-mask]x ::error::boom'
  const ids = [text, ...RUNNER_COMMANDS]
  const data = ids.map((id) => ({ id, object: 'model', created: 1, owned_by: text, url: text }))
  const message = { role: text, content: text }
  const choices = [{ index: 0, message, delta: message, finish_reason: text }]
  const json = JSON.stringify({ id: text, object: 'list', created: 1, model: text, choices, data, text, [text]: text })
  const isList = request.url?.endsWith('/models') === true
  const isInvalid = !isList && body.length % 2 === 0
  response.writeHead(isInvalid ? 400 : 200, header, { 'content-type': 'application/json', 'x-request-id': header })
  const error = JSON.stringify({ error: { message: text, type: text, param: text, code: text } })
  response.end(isInvalid ? error : json)
}

test('prints no command of a CI runner that a target sends', async () => {
  const outputs = await withServer(respondWithCommands, async (url) => {
    const target = ['--target', url, '--key', KEYS['--key']]
    const results = []
    for (const args of [
      ['conformance', ...target, '--verbose', '--only', '2.1,2.3,4.2/stream-events,7/error-body-429'],
      ['conformance', ...target, '--json', '--only', '2.1'],
      ['doctor', ...target],
      ['doctor', ...target, '--json'],
      ['init', ...target],
      ['init', ...target, '--json'],
    ]) {
      results.push(await runCliInSharedProcess(args))
    }
    return results.map(({ stdout, stderr }) => `${stdout}\n${stderr}`)
  })
  expect(outputs[0]).toContain(String.raw`\u{23}#[add-mask]x`)
  expect(outputs.map(findRunnerCommands)).toEqual(outputs.map(() => []))
})
