import { describe, expect, test } from 'vitest'
import { PARAMETERS } from '../../contract/facts.ts'
import type { TimedOperation } from '../../contract/facts.ts'
import { parseSettings } from './parse-settings.ts'
import { createNonce } from './prompts.ts'
import { buildRequest } from './requests.ts'

const settings = parseSettings({ TOUCHSTONE_TARGET: 'http://h:1' })
const sender = { settings, key: 'sk-svc-k', audio: { bytes: 1 } }

function bodyOf(operation: TimedOperation, wanted = {}, changes = {}): Record<string, unknown> {
  const request = buildRequest(operation, { ...sender, settings: { ...settings, ...changes } }, { index: 0, ...wanted })
  return typeof request.body === 'string' ? JSON.parse(request.body) : { ...request.body?.fields, file: true }
}

test.each([
  ['models', 'GET', 'http://h:1/v1/models'],
  ['chat', 'POST', 'http://h:1/v1/chat/completions'],
  ['chat-stream', 'POST', 'http://h:1/v1/chat/completions'],
  ['images', 'POST', 'http://h:1/v1/images/generations'],
  ['transcriptions', 'POST', 'http://h:1/v1/audio/transcriptions'],
  ['speech', 'POST', 'http://h:1/v1/audio/speech'],
] as const)('sends %s to its endpoint, with the key', (operation, method, url) => {
  expect(buildRequest(operation, sender, { index: 0 })).toMatchObject({
    operation,
    method,
    url,
    headers: { Authorization: 'Bearer sk-svc-k' },
  })
})

test.each(['models', 'chat-stream', 'transcriptions'] as const)(
  'adds the headers of the user to a request for %s, but keeps the API key',
  (operation) => {
    const headers = { 'x-tenant': 'blue', Authorization: 'none' }
    expect(buildRequest(operation, { ...sender, headers }, { index: 0 }).headers).toMatchObject({
      'x-tenant': 'blue',
      Authorization: 'Bearer sk-svc-k',
    })
  },
)

test.each(['models', 'chat', 'transcriptions'] as const)(
  'sends %s without an Authorization header if there is no key',
  (operation) => {
    const { headers } = buildRequest(operation, { ...sender, key: undefined }, { index: 0 })
    expect(headers).not.toHaveProperty('Authorization')
  },
)

test.each(['chat', 'images', 'transcriptions', 'speech'] as const)(
  'sends the required fields of %s, and no unspecified fields',
  (operation) => {
    const names = Object.keys(bodyOf(operation))
    const known = PARAMETERS[operation].map(({ name }): string => name)
    const required = PARAMETERS[operation].filter((parameter) => parameter.required).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(required))
    expect(names.filter((name) => !known.includes(name))).toEqual([])
  },
)

describe('the cost of a chat', () => {
  const costOf = (operation: TimedOperation, changes: object) =>
    buildRequest(operation, { ...sender, settings: { ...settings, ...changes } }, { index: 0, outputTokens: 7 }).cost

  test.each(['chat', 'chat-stream'] as const)(
    'the cost of a chat is bounded for %s in a run with a spend limit',
    (operation) => {
      // The cast is safe: buildRequest creates this body.
      const [message] = bodyOf(operation)['messages'] as { content: string }[]
      const maxTokens = Buffer.byteLength(message?.content ?? '') + 16 + 7
      expect(costOf(operation, { extension: { maxUnits: 1 } })).toEqual({ unitsPerToken: 4, maxTokens })
      expect(costOf(operation, {})).toBeUndefined()
    },
  )

  test('the cost is unknown for operations without a price in the document', () => {
    const extension = { maxUnits: 1 }
    expect(costOf('images', { extension })).toBeUndefined()
    expect(costOf('chat', { extension, models: { ...settings.models, chat: 'own' } })).toBeUndefined()
  })
})

describe('a streamed chat', () => {
  test('a streamed chat sends stream_options.include_usage unless the body has other ones', () => {
    expect(bodyOf('chat-stream')).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    const withBody = (value: unknown) => bodyOf('chat-stream', {}, { body: { stream_options: value } })
    expect(withBody(null)).not.toHaveProperty('stream_options')
    expect(withBody({})).toHaveProperty('stream_options', {})
    expect(bodyOf('chat', {}, { body: { stream_options: {} } })).not.toHaveProperty('stream_options')
  })
})

describe('a prompt', () => {
  const promptOf = (wanted: object, changes = {}) => {
    // The cast is safe: buildRequest creates this body.
    const [message] = bodyOf('chat', wanted, changes)['messages'] as { content: string }[]
    return message?.content ?? ''
  }

  test('a prompt depends only on its index and seed', () => {
    expect(promptOf({ index: 3 })).toBe(promptOf({ index: 3 }))
    const nonces = Array.from({ length: 20_000 }, (_, index) => createNonce(1, index))
    expect(new Set(nonces).size).toBe(20_000)
    expect(promptOf({ index: 3 })).toContain(createNonce(settings.seed, 3))
    expect(promptOf({ index: 3 }, { seed: 2 })).not.toBe(promptOf({ index: 3 }))
  })

  test('a prompt has the number of words of the settings or of a trace', () => {
    expect(promptOf({}).split(' ')).toHaveLength(settings.promptWords)
    expect(promptOf({ promptTokens: 200 }).split(' ')).toHaveLength(200)
    expect(bodyOf('chat', { outputTokens: 9 })).toMatchObject({ max_tokens: 9 })
  })
})
