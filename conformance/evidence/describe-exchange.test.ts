import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Exchange } from '../http/exchange.ts'
import { describeExchange } from './describe-exchange.ts'
import { buildCurlCommand } from './curl-command.ts'
import { ExchangeRecorder } from './exchange-recorder.ts'
import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import { SecretMask } from './secrets.ts'

const KEY = 'sk-svc-0123456789abcdefWXYZ'
const SHOWN = fingerprintSecret(KEY)
const mask = new SecretMask([{ value: KEY, variable: 'TOUCHSTONE_KEY' }])

function exchangeWith(changes: Partial<Exchange>): Exchange {
  return {
    request: {
      method: 'POST',
      path: '/v1/x',
      url: 'http://127.0.0.1:1/v1/x',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', accept: '*/*' },
      body: Buffer.from(`{"a":"it's"}`),
    },
    startedAtMs: 1.234,
    totalMs: 5,
    status: 200,
    headers: { 'x-echo': KEY },
    body: Buffer.from(`you sent ${KEY}`),
    memoryBytes: 0,
    text: '',
    json: undefined,
    events: [],
    unfinishedFrame: false,
    ...changes,
  }
}

test('masks the key in the request and in the response', () => {
  expect(describeExchange(exchangeWith({}), mask)).toEqual({
    startedAtMs: 1.2,
    request: {
      method: 'POST',
      url: 'http://127.0.0.1:1/v1/x',
      headers: { authorization: `Bearer ${SHOWN}`, 'content-type': 'application/json', accept: '*/*' },
      body: `{"a":"it's"}`,
    },
    response: { status: 200, headers: { 'x-echo': SHOWN }, body: `you sent ${SHOWN}` },
    truncated: false,
  })
})

test('records an error instead of a response without a status line', () => {
  const error = { kind: 'reset', message: 'the connection was reset' } as const
  const shown = describeExchange(exchangeWith({ status: 0, error }), mask)
  expect(shown.response).toBeNull()
  expect(shown.error).toBe('the connection was reset')
})

test('shortens a long body without leaving eight characters of a key at the end of its head', () => {
  const head = 'a'.repeat(24 * 1024 - 15)
  const long = `${head}${KEY}${'b'.repeat(20_000)}`
  const shown = describeExchange(exchangeWith({ body: Buffer.from(long) }), mask)
  expect(shown.truncated).toBe(true)
  expect(shown.response?.body).toBe(`${head}sk-svc-${SHOWN}…${'b'.repeat(8 * 1024)}`)
  expect(shown.response?.whole?.bytes).toBe(long.length)
})

test('describes a binary body by its length', () => {
  const shown = describeExchange(exchangeWith({ body: Uint8Array.of(0xff, 0xfb, 0x90, 0) }), mask)
  expect(shown.response?.body).toBe('(4 bytes, not text, starting with fffb9000)')
})

test('records stream events with their times up to the maximum length', () => {
  const events = [
    { atMs: 1.06, data: 'a' },
    { atMs: 2, data: 'b'.repeat(30_000) },
  ]
  const shown = describeExchange(exchangeWith({ events }), mask)
  expect(shown.response?.events).toEqual([{ atMs: 1.1, data: 'a' }])
  expect(shown.truncated).toBe(true)
})

test('returns a curl command that repeats the request', () => {
  expect(buildCurlCommand(exchangeWith({}).request, undefined, mask)).toBe(
    `curl -sS -i -X POST 'http://127.0.0.1:1/v1/x' -H 'authorization: Bearer '"$TOUCHSTONE_KEY" ` +
      `-H 'content-type: application/json' --data-raw '{"a":"it'\\''s"}'`,
  )
})

test('returns a curl command for HEAD that expects no body and contains all header fields', () => {
  const headers = { 'accept-encoding': 'gzip' }
  const request = { method: 'HEAD', path: '/v1/x', headers, url: 'http://127.0.0.1:1/v1/x' }
  expect(buildCurlCommand(request, undefined, mask)).toBe(
    `curl -sS -i -I 'http://127.0.0.1:1/v1/x' -H 'accept-encoding: gzip'`,
  )
})

test('returns a curl command for HEAD that shows the body of a target that sends one', () => {
  const request = { method: 'HEAD', path: '/v1/x', headers: {}, url: 'http://127.0.0.1:1/v1/x' }
  expect(buildCurlCommand(request, undefined, mask, { hasBody: true })).toBe(
    `curl -sS -i -X HEAD --max-time 2 'http://127.0.0.1:1/v1/x'`,
  )
})

test('limits the time of the command for a response that did not arrive in time', () => {
  const reproduce = (totalMs: number, method = 'POST') => {
    const error = { kind: 'timeout', message: 'no response' } as const
    const { request } = exchangeWith({})
    const recorder = new ExchangeRecorder()
    const late = { status: 0, body: new Uint8Array(), totalMs, error, request: { ...request, method } }
    recorder.add(exchangeWith(late), undefined)
    return recorder.reproduce(mask)
  }
  expect(reproduce(10_003)).toMatch(/^curl -sS -i -X POST --max-time 10 'http/)
  expect(reproduce(2400, 'GET')).toMatch(/^curl -sS -i --max-time 2 'http/)
  expect(reproduce(60_000, 'HEAD')).toMatch(/^curl -sS -i -I --max-time 30 'http/)
})

test('returns a curl command for a form, without a boundary', () => {
  const form = { model: '@x', file: { bytes: Buffer.from('RIFF'), filename: 'speech.wav', mediaType: 'audio/wav' } }
  const line = buildCurlCommand(exchangeWith({}).request, form, mask)
  expect(line).toMatch(
    /^echo [\w+/=]+ \| base64 -d \| gunzip \| curl .* --form-string 'model=@x' -F 'file=@-;filename=speech\.wav;type=audio\/wav'$/,
  )
  expect(line).not.toContain('content-type')
})

test('refers to a file if a command line cannot contain the body', () => {
  const { request } = exchangeWith({})
  const line = buildCurlCommand({ ...request, body: randomBytes(5000) }, undefined, mask)
  expect(line).toContain('--data-binary @body # body: 5000 bytes')
})

test('refers to a file if compression would hide a secret from the mask', () => {
  const file = { bytes: Buffer.from(`RIFF ${KEY}`), filename: 'speech.wav', mediaType: 'audio/wav' }
  const line = buildCurlCommand(exchangeWith({}).request, { file }, mask)
  expect(line).toContain(`-F 'file=@speech.wav;type=audio/wav' # any file of that kind as speech.wav`)
  expect(line).not.toContain('base64')
})

test('writes invisible characters of a body as bytes that a shell reproduces', () => {
  const quoted = mask.quote('\ufeff{"a":"\u202eb"}\n')
  expect(quoted).toBe(String.raw`"$(printf '\357\273\277')"'{"a":"'"$(printf '\342\200\256')"'b"}` + "\n'")
  expect(mask.quote(`a\rBearer ${KEY}`)).toBe(String.raw`'a'"$(printf '\015')"'Bearer '"$TOUCHSTONE_KEY"`)
})

test('quotes text so that no runner of CI executes a command in it, and a shell restores the text', () => {
  const quoted = mask.quote('###[add-mask]x')
  expect(quoted).toBe("'#''#''#[add-mask]x'")
  expect(quoted.replaceAll("'", '')).toBe('###[add-mask]x')
})
