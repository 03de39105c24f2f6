import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ECHO_STEPS, echoSecret, findEchoedRuns } from '../../common/secrets/testing/echoes.ts'
import { serveHttp } from '../../common/testing/local-server.ts'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { callControl } from './support/requests.ts'

/** Secrets of a request, each in another header. */
const SECRETS = {
  authorization: 'sk-svc-Fq7Lx2Vb9Tn4Rw8Zk3Mc6Yd1Hs5Gj0',
  'x-api-key': 'Pa1Se2Dr3Ft4Gz5Hu6Ji7Ko8Lp9Xc0',
  'x-session-token': 'Qw0Er9Tz8Ui7Op6As5Df4Gh3Jk2Lm1',
  cookie: 'Vc3Bn5Mq7Wy9Xz2Kd4Jf6',
} as const

const HEADERS = {
  authorization: `Bearer ${SECRETS.authorization}`,
  'x-api-key': SECRETS['x-api-key'],
  'x-session-token': SECRETS['x-session-token'],
  cookie: `theme=dark; session=${SECRETS.cookie}`,
  'content-type': 'application/json',
}

/** Number of requests that `echo` has received. It selects the encoding in which the next response contains the secrets. */
let echoed = 0

/** Returns the secrets of a request in every part of the response, and in streams split over the deltas. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  echoed += 1
  const text = Object.values(SECRETS)
    .map((secret) => echoSecret(secret, echoed))
    .join(' ')
  const type = text.replaceAll(/[^\w%&#;+/=-]/g, '').slice(0, 2000)
  if (request.url?.endsWith('.png') === true) {
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(`\xff\xd8${text}`, 'latin1'))
  } else if (request.url?.includes('speech') === true) {
    response.writeHead(200, { 'content-type': `audio/mpeg; a=${type}` }).end(Buffer.from(`\xff\xfb${text}`, 'latin1'))
  } else if (request.headers['accept'] === 'text/event-stream') {
    const pieces = text.match(/.{1,5}/gs) ?? []
    const events = pieces.map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)
    response.writeHead(200, { 'content-type': `text/event-stream; a=${type}` }).end(events.join(''))
  } else {
    const data = [
      { url: `http://${request.headers.host}/one.png`, revised_prompt: text, items: text.match(/.{1,5}/gs) },
    ]
    response.writeHead(200, { 'content-type': `application/json; a=${type}` })
    response.end(JSON.stringify({ id: text, [text]: text, data }))
  }
}

async function startEchoingUpstream(): Promise<string> {
  const server = await serveHttp((request, response) => request.resume().on('end', () => echo(request, response)))
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server.url
}

/** Sends one request of each kind, with the secrets in an encoding in the path, the query and the body. */
async function sendSecrets({ url }: Emulator, number: number): Promise<void> {
  const secret = SECRETS['x-api-key']
  const encoded = echoSecret(secret, number)
  const field = { [encoded]: encoded, user: secret, messages: [{ role: 'user', content: encoded }] }
  const body = JSON.stringify({ model: 'o3-mini', prompt: 'a', input: encoded, ...field })
  const path = encoded.replaceAll(/[^\w%-]/g, '')
  const id = encoded.replaceAll(/[^ -~]/g, '')
  for (const [at, accept] of [
    ['chat/completions', 'application/json'],
    ['chat/completions', 'text/event-stream'],
    ['images/generations', '*/*'],
    ['audio/speech', '*/*'],
    [`models/${path}?key=${path}`, '*/*'],
  ] as const) {
    const headers = { ...HEADERS, accept, 'x-client-request-id': id }
    const sent = await fetch(`${url}/v1/${at}`, { method: 'POST', headers, body })
    await sent.arrayBuffer()
  }
}

/** Returns the strings of a JSON value, the joined texts of lists, and the joined deltas of events. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string')
    return [
      value,
      value
        .match(/"content":"[^"]*/g)
        ?.join('')
        .replaceAll('"content":"', '') ?? '',
    ]
  if (Array.isArray(value)) return [value.map((one) => listTexts(one).at(-1)).join(''), ...value.flatMap(listTexts)]
  if (typeof value !== 'object' || value === null) return []
  const text = 'text' in value ? listTexts(value.text) : []
  return [...Object.entries(value).flatMap(([name, member]) => [name, ...listTexts(member)]), ...text]
}

const CONTROL_PATHS = [
  'accounts',
  'request-log',
  'ledger',
  'client-audit',
  'metrics',
  'faults',
  'fixtures',
  'timing',
  '',
]

async function readControl(emulator: Emulator): Promise<string[]> {
  const texts = await Promise.all(
    CONTROL_PATHS.map(async (path) => (await fetch(`${emulator.url}/__emulator/${path}`)).text()),
  )
  // The ledger has one JSON value per line.
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.startsWith('{'))
  return [...texts, ...lines.flatMap((line) => listTexts(JSON.parse(line)))]
}

function expectNoSecret(texts: readonly string[]): void {
  for (const secret of Object.values(SECRETS)) expect(findEchoedRuns(texts, secret.replace('sk-svc-', ''))).toEqual([])
}

test('writes no secret of a request into recordings, the request log or stderr, in any encoding', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-secrets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => stderr.mockRestore())
  const record = await startEchoingUpstream()
  await using emulator = await startEmulator({ record, recordDir: folder, requestLog: { bodies: 65_536 } })
  for (const number of ECHO_STEPS.keys()) await sendSecrets(emulator, number)
  const control = await readControl(emulator)
  await emulator.close()
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
  expect(files.length).toBeGreaterThanOrEqual(4 * ECHO_STEPS.length)
  const decoded = files.flatMap((text) => {
    const recording: { response?: { base64?: string } } = text.startsWith('{') ? JSON.parse(text) : {}
    return [...listTexts(recording), Buffer.from(recording.response?.base64 ?? '', 'base64').toString('latin1')]
  })
  const printed = stderr.mock.calls.map(([text]) => String(text))
  expect(printed.join('')).toContain('it contains a key')
  expectNoSecret([...files, ...decoded, ...control, ...printed])
})

test('shows no secret of a request that the emulator itself responds to', async () => {
  await using emulator = await startEmulator({ requestLog: { bodies: 65_536 } })
  const { json } = await callControl(emulator, '/accounts', { body: { credits: '9', key: SECRETS.authorization } })
  expect(json.key).toBe(SECRETS.authorization)
  const secret = { requestHeaders: { 'x-api-key': SECRETS['x-api-key'] }, key: SECRETS.authorization, text: 'a' }
  await callControl(emulator, '/fixtures', { body: secret })
  await callControl(emulator, '/faults', {
    body: { header: `x-api-key: ${SECRETS['x-api-key']}`, status: 503, times: 1 },
  })
  for (const number of [0, 5, 10, 15]) await sendSecrets(emulator, number)
  expectNoSecret(await readControl(emulator))
})

test('hides a short key where it is a whole value', async () => {
  await using emulator = await startEmulator({ requestLog: { bodies: 1000 } })
  const body = JSON.stringify({ user: 'abc123', model: 'not abc123', abc123: 1 })
  const authorization = `Bearer ${emulator.keys.funded}`
  const headers = { authorization, 'x-api-key': 'abc123', 'content-type': 'application/json' }
  await (await fetch(`${emulator.url}/v1/chat/completions`, { method: 'POST', headers, body })).text()
  await (await fetch(`${emulator.url}/v1/models`, { headers: { authorization: 'Bearer abc123' } })).text()
  const [first, second] = (await callControl(emulator, '/request-log')).json.entries
  expect(first.bodies.request).toBe('{"user":"(hidden)","model":"not abc123","(hidden)":1}')
  expect(second.keyFingerprint).toBe('(hidden)')
})
