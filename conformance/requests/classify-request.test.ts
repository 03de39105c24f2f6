import { describe, expect, test } from 'vitest'
import { MODELS } from '../../contract/facts.ts'
import { type ApiRequest, buildCustomRequest, type FormFields, type RequestOptions } from './api-request.ts'
import { buildFormFields, buildFormRequest, buildJsonRequest, buildListRequest } from './build-request.ts'
import { classifyRequest } from './classify-request.ts'

const KEYS = { funded: 'sk-svc-test-funded', noCredits: 'sk-svc-test-no-credits' }
const DOCUMENTED_MODELS: readonly string[] = MODELS.map(({ id }) => id)
const isDocumentedModel = (model: string): boolean => DOCUMENTED_MODELS.includes(model)
const BASIS = { model: 'vendora-v4-flash', keys: KEYS, tag: 'tag' }

function kindOf(request: ApiRequest, form?: FormFields): string {
  return classifyRequest({
    request,
    form,
    isServed: (operation, model) => (operation === 'chat' ? isDocumentedModel(model) : model === BASIS.model),
    isListed: isDocumentedModel,
  })
}

function chat(fields: Readonly<Record<string, unknown>>, options: RequestOptions = {}): string {
  return kindOf(buildJsonRequest('chat', BASIS, fields, options))
}

function transcription(fields: FormFields): string {
  const form = buildFormFields(BASIS, fields)
  return kindOf(buildFormRequest(BASIS, form, {}), form)
}

describe('the kind of a request', () => {
  test('classifies the request with the fewest fields of each operation as valid', () => {
    const json = (['chat', 'images', 'speech'] as const).map((operation) => buildJsonRequest(operation, BASIS, {}, {}))
    expect([buildListRequest(BASIS, {}), ...json].map((request) => kindOf(request))).toEqual(Array(4).fill('valid'))
    expect(transcription({})).toBe('valid')
  })

  test('classifies escaped characters as valid, and duplicate names as unspecified', () => {
    const body = (fields: string): string =>
      `{"model":"${BASIS.model}","messages":[{"role":"user","content":"Gr\\u00fc\u00dfe"}]${fields}}`
    expect(chat({}, { rawBody: body('') })).toBe('valid')
    expect(chat({}, { rawBody: body(',"max_tokens":5,"max_tokens":6') })).toBe('unspecified')
    expect(chat({}, { rawBody: body(',"max_tokens":1e1') })).toBe('unspecified')
    expect(chat({}, { rawBody: body(' ') })).toBe('unspecified')
  })

  test.each([
    ['both ends of the temperature', [{ temperature: 0 }, { temperature: 2 }], 'valid'],
    ['a temperature outside the range', [{ temperature: -0.1 }, { temperature: 2.1 }], 'invalid'],
    ['max_tokens of 1 and no max_tokens', [{ max_tokens: 1 }, { max_tokens: undefined }], 'valid'],
    ['max_tokens of 0 and a huge max_tokens', [{ max_tokens: 0 }, { max_tokens: 1e9 }], 'unspecified'],
    ['a fraction for an integer', [{ max_tokens: 1.5 }], 'invalid'],
    ['a string for a boolean', [{ stream: 'true' }], 'invalid'],
    ['null for an optional parameter', [{ stream: null }], 'unspecified'],
    ['null for a required parameter', [{ messages: null }], 'invalid'],
    ['a missing required parameter', [{ messages: undefined }, { model: undefined }], 'invalid'],
    ['an unknown parameter', [{ touchstone: 1 }], 'unspecified'],
    ['a message that is not an object', [{ messages: ['hello'] }], 'invalid'],
    ['a message with an undocumented role', [{ messages: [{ role: 'tool', content: 'a' }] }], 'unspecified'],
    ['an unknown model', [{ model: 'touchstone-no-such-model' }], 'invalid'],
    ['another listed model', [{ model: 'o3-mini' }], 'valid'],
    ['an unknown and an invalid parameter', [{ touchstone: 1, stream: 'true' }], 'invalid'],
  ])('classifies a chat with %s', (_name, all, kind) => {
    expect(all.map((fields) => chat(fields))).toEqual(all.map(() => kind))
  })

  test.each([
    ['no key', { key: 'none' }, 'invalid'],
    ['an unknown key', { key: { invalid: 'sk-svc-x' } }, 'invalid'],
    ['a key without credits', { key: 'no-credits' }, 'invalid'],
    ['another scheme', { headers: { authorization: `Basic ${KEYS.funded}` } }, 'invalid'],
    ['another media type', { headers: { 'content-type': 'text/plain' } }, 'unspecified'],
    ['malformed JSON', { rawBody: '{"model":' }, 'invalid'],
    ['an array as its body', { rawBody: '[]' }, 'invalid'],
    [
      'a lone surrogate',
      { rawBody: String.raw`{"model":"o3-mini","messages":[{"role":"user","content":"\ud83d"}]}` },
      'invalid',
    ],
    ['invalid UTF-8', { rawBody: Buffer.from([0x7b, 0xe9]) }, 'unspecified'],
  ] as const)('classifies a chat with %s', (_name, options, kind) => {
    expect(chat({}, options)).toBe(kind)
  })

  test('classifies numbers that JSON.stringify never produces as unspecified', () => {
    const rawBody = '{"model":"o3-mini","messages":[{"role":"user","content":"a"}],"max_tokens":16.0}'
    expect(chat({}, { rawBody })).toBe('unspecified')
  })

  test('classifies images with another listed model as unspecified', () => {
    expect(kindOf(buildJsonRequest('images', BASIS, { model: 'o3-mini' }, {}))).toBe('unspecified')
    expect(kindOf(buildJsonRequest('images', BASIS, { model: 'no-model' }, {}))).toBe('invalid')
    expect(kindOf(buildJsonRequest('images', BASIS, { size: '512x512' }, {}))).toBe('unspecified')
    expect(kindOf(buildJsonRequest('images', BASIS, { size: 'large' }, {}))).toBe('invalid')
  })

  test('classifies a request that accepts only one media type as unspecified', () => {
    expect(chat({ stream: true }, { headers: { accept: 'application/json' } })).toBe('unspecified')
    expect(chat({ stream: true }, { headers: { accept: 'text/event-stream, */*' } })).toBe('valid')
  })

  test('classifies a form by its fields', () => {
    expect(transcription({ language: 'en' })).toBe('valid')
    expect(transcription({ language: 'English' })).toBe('unspecified')
    expect(transcription({ file: 'speech' })).toBe('invalid')
    expect(transcription({ model: undefined })).toBe('invalid')
    expect(kindOf(buildFormRequest(BASIS, {}, { rawBody: '' }))).toBe('invalid')
  })

  test.each([
    ['GET', '/v1/touchstone-no-such-endpoint', 'invalid'],
    ['DELETE', '/v1/models', 'unspecified'],
    ['GET', '/v1/models/', 'unspecified'],
    ['GET', '/v1/models?a=1', 'unspecified'],
    ['GET', '/v1/images/a.png', 'unspecified'],
    ['GET', '/balance', 'unspecified'],
  ])('classifies the request %s %s', (method, path, kind) => {
    expect(kindOf(buildCustomRequest({ method, path, key: 'funded' }, KEYS))).toBe(kind)
  })
})
