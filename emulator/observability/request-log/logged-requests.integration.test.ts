import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { fingerprintSecret } from '../../../common/secrets/fingerprint.ts'
import { createEmulator } from '../../create-emulator.ts'
import type { InstanceOptions } from '../../options/emulator-options.ts'
import { startEmulator } from '../../start-emulator.ts'
import { transcribe } from '../../tests/support/requests.ts'

const TRANSPORTS = ['the fast path', 'Fastify', 'in process'] as const
type Transport = (typeof TRANSPORTS)[number]

/** Starts an emulator that keeps 64 KiB of each body, and the function that sends its requests through the transport. */
async function startLogging(transport: Transport, options: Partial<InstanceOptions> = {}) {
  const settings = { requestLog: { bodies: 65_536 }, ...options }
  if (transport === 'in process') {
    const emulator = createEmulator(settings)
    return { emulator, send: emulator.fetch, url: 'http://emulator' }
  }
  const emulator = await startEmulator({ ...settings, fastPath: transport === 'Fastify' ? 'off' : 'on' })
  return { emulator, send: fetch, url: emulator.url }
}

/** Returns the text of a chat request in a form that no JSON serializer would produce. */
function writeChat(content: string, stream = false): string {
  return `{ "model":"o3-mini",  "stream" : ${stream},\n"messages":[{"role":"user","content":"${content}"}], "user":"\\u0041" }`
}

test.each(TRANSPORTS)(
  'logs the exact text of a request, and its headers without the key, through %s',
  async (transport) => {
    const { emulator, send, url } = await startLogging(transport)
    await using _ = emulator
    const body = writeChat('Grüße, 世界')
    const headers = {
      authorization: `Bearer ${emulator.keys.funded}`,
      'content-type': 'application/json',
      'X-Note': `of ${emulator.createAccount({ credits: '1', key: 'sk-svc-in-another-header' }).key}`,
      'x-session-token': 'short',
    }
    await (await send(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).text()
    const [entry] = emulator.requests()
    expect(entry?.bodies?.request).toBe(body)
    expect(entry?.requestHeaders).toMatchObject({
      authorization: `Bearer ${fingerprintSecret(emulator.keys.funded)}`,
      'content-type': 'application/json',
      'x-note': `of ${fingerprintSecret('sk-svc-in-another-header')}`,
      'x-session-token': '(hidden)',
    })
    expect(JSON.stringify(entry)).not.toContain(emulator.keys.funded)
    expect(entry).not.toHaveProperty('upload')
  },
)

const REPLACING = [
  { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>bad</html>' },
  { generated: true, fault: { loseAt: 'before-head' } },
  { generated: true, fault: { drop: true } },
] as const

test.each(TRANSPORTS)('logs requests whose response a fixture replaces, through %s', async (transport) => {
  const { emulator, send, url } = await startLogging(transport)
  await using _ = emulator
  for (const response of REPLACING) {
    for (const stream of [false, true]) {
      emulator.fixtures.clear()
      const [fixture] = emulator.fixtures.add({ anyMessage: { matches: 't1234abcd' }, ...response })
      const body = writeChat('Hello, t1234abcd.', stream)
      const headers = { authorization: `Bearer ${emulator.keys.funded}` }
      await send(`${url}/v1/chat/completions`, { method: 'POST', headers, body }).then(
        (received) => received.text(),
        () => undefined, // The fixture drops the connection.
      )
      await expect.poll(() => emulator.requests().at(-1)?.fixture).toBe(fixture?.id)
      expect(emulator.requests().at(-1)?.bodies?.request).toBe(body)
    }
  }
  expect(emulator.requests()).toHaveLength(6)
})

test.each(TRANSPORTS)('logs the file of a form through %s', async (transport) => {
  const { emulator, send, url } = await startLogging(transport, { requestLog: { bodies: 10 } })
  await using _ = emulator
  const bytes = Buffer.alloc(200_000, 'audio')
  const form = new FormData()
  form.set('file', new Blob([bytes], { type: 'Audio/MPEG; rate=8000' }), 'Grüße.mp3')
  form.set('model', 'vendora-v4-flash')
  const headers = { authorization: `Bearer ${emulator.keys.funded}` }
  await (await send(`${url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form })).text()
  expect(emulator.requests()[0]?.upload).toEqual({
    field: 'file',
    filename: 'Grüße.mp3',
    mediaType: 'audio/mpeg',
    bytes: 200_000,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })
})

test('logs the file of a form that is rejected, and masks secrets in its name', async () => {
  await using emulator = await startEmulator({ requestLog: { bodies: 10 } })
  const form = new FormData()
  form.set('audio', new Blob(['text']), 'sk-svc-key-in-a-file-name.mp3')
  const headers = { authorization: `Bearer ${emulator.keys.funded}` }
  const response = await fetch(`${emulator.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form })
  expect(response.status).toBe(400)
  const [entry] = emulator.requests()
  expect(entry?.upload).toMatchObject({ field: 'audio', mediaType: 'application/octet-stream', bytes: 4 })
  expect(entry?.upload?.filename).toMatch(/^sha256:[\da-f]{8}/)
})

test('logs no headers and no file without the option bodies', async () => {
  await using emulator = await startEmulator({ requestLog: { digests: 1 } })
  await (await transcribe(emulator, new Uint8Array(10))).text()
  const [entry] = emulator.requests()
  for (const field of ['requestHeaders', 'upload', 'bodies']) expect(entry).not.toHaveProperty(field)
})

test.each([
  ['inside a character', 'Hello, 世界.'],
  ['in a body of 100 KB', `${'x'.repeat(65_000)}世${'y'.repeat(35_000)}`],
])('logs the beginning of a request that the limit cuts %s', async (_where, content) => {
  const body = writeChat(content)
  const expected = body.slice(0, body.indexOf('世'))
  await using emulator = await startEmulator({ requestLog: { bodies: Buffer.byteLength(expected) + 1 } })
  const headers = { authorization: `Bearer ${emulator.keys.funded}` }
  await (await fetch(`${emulator.url}/v1/chat/completions`, { method: 'POST', headers, body })).text()
  expect(emulator.requests()[0]?.bodies?.request).toBe(expected)
})

test('counts headers and files towards the size of the request log', async () => {
  await using emulator = await startEmulator({ requestLog: { bodies: 1, bytes: 8000 } })
  const headers = { authorization: `Bearer ${emulator.keys.funded}`, 'x-note': 'n'.repeat(1200) }
  for (let index = 0; index < 5; index += 1) await (await fetch(`${emulator.url}/v1/models`, { headers })).text()
  expect(emulator.requests()).toHaveLength(2)
  const name = 'f'.repeat(2000)
  for (let index = 0; index < 5; index += 1) {
    const form = new FormData()
    form.set('file', new Blob(['text']), name)
    const authorization = `Bearer ${emulator.keys.funded}`
    const init = { method: 'POST', headers: { authorization }, body: form }
    await (await fetch(`${emulator.url}/v1/audio/transcriptions`, init)).text()
  }
  expect(emulator.requests()).toHaveLength(1)
})
