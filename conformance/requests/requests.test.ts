import { describe, expect, test } from 'vitest'
import type { KeyChoice } from './api-request.ts'
import { buildFormFields, buildFormRequest, buildJsonRequest, buildListRequest } from './build-request.ts'
import { encodeMultipart } from './multipart.ts'
import { buildWav } from './audio.ts'

const BASIS = { model: 'm', keys: { funded: 'sk-svc-k', noCredits: 'sk-svc-n' }, tag: 't' }

function bodyOf(request: { readonly body?: Uint8Array }): unknown {
  const value: unknown = JSON.parse(Buffer.from(request.body ?? []).toString())
  return value
}

describe('request builders', () => {
  test('request builders replace fields and omit fields set to undefined', () => {
    const request = buildJsonRequest('chat', BASIS, { temperature: 3, messages: undefined }, {})
    expect(bodyOf(request)).toEqual({ model: 'm', max_tokens: 16, temperature: 3 })
    expect(request).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-svc-k', 'content-type': 'application/json' },
    })
  })

  test('request builders never use the same text for two checks', () => {
    const other = buildJsonRequest('speech', { ...BASIS, tag: 'u' }, {}, {})
    expect(bodyOf(other)).not.toEqual(bodyOf(buildJsonRequest('speech', BASIS, {}, {})))
  })

  test('request builders set the key of a role and keep the role', () => {
    const sent = (key: KeyChoice) => {
      const request = buildListRequest(BASIS, { key })
      return [request.key, request.headers['authorization']]
    }
    expect(sent('funded')).toEqual(['funded', 'Bearer sk-svc-k'])
    expect(sent('no-credits')).toEqual(['no-credits', 'Bearer sk-svc-n'])
    expect(sent('none')).toEqual(['none', undefined])
    expect(sent({ invalid: 'other' })).toEqual(['invalid', 'Bearer other'])
    // `KEYS` contains no limited key.
    expect(sent('limited')).toEqual(['none', undefined])
    expect(buildListRequest(BASIS, {})).toEqual({
      method: 'GET',
      path: '/v1/models',
      key: 'funded',
      headers: { authorization: 'Bearer sk-svc-k' },
    })
  })

  test('request builders replace, add and remove headers and send a raw body unchanged', () => {
    const options = { headers: { 'content-type': null, 'x-a': 'b' }, rawBody: '{' }
    const request = buildJsonRequest('images', BASIS, {}, options)
    expect(request.headers).toEqual({ authorization: 'Bearer sk-svc-k', 'x-a': 'b' })
    expect(Buffer.from(request.body ?? []).toString()).toBe('{')
  })
})

test('request builders encode form fields in the given order', async () => {
  const file = { bytes: Uint8Array.of(0, 13, 10, 255), filename: 'a"b.wav', mediaType: 'audio/wav' }
  const { body, mediaType } = encodeMultipart({ file, gone: undefined, model: 'm', text: 'grüße\r\n--x' })
  const form = await new Response(Buffer.from(body), { headers: { 'content-type': mediaType } }).formData()
  expect([...form.keys()]).toEqual(['file', 'model', 'text'])
  expect(form.get('text')).toBe('grüße\r\n--x')
  const read = form.get('file')
  expect(read).toBeInstanceOf(File)
  expect(read instanceof File && new Uint8Array(await read.arrayBuffer())).toEqual(file.bytes)
  expect(read instanceof File && read.name).toBe('a"b.wav')
})

test('keeps the field order of a transcription form and omits fields set to undefined', () => {
  expect(Object.keys(buildFormFields(BASIS, { language: 'en' }))).toEqual(['language', 'model', 'file'])
  const withoutFile = buildFormRequest(BASIS, buildFormFields(BASIS, { file: undefined }), {})
  expect(Buffer.from(withoutFile.body ?? []).toString()).not.toContain('filename')
})

test('builds one second of audible 16-bit mono WAV at 16 kHz', () => {
  const wav = Buffer.from(buildWav(1000))
  expect(wav.length).toBe(44 + 32_000)
  expect(wav.readUInt32LE(4)).toBe(wav.length - 8)
  expect([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34), wav.readUInt32LE(40)]).toEqual([
    1, 16_000, 16, 32_000,
  ])
  const loudest = Math.max(...Array.from({ length: 16_000 }, (_, sample) => wav.readInt16LE(44 + sample * 2)))
  expect(loudest).toBe(4000)
})
