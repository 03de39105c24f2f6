import { expect, test } from 'vitest'
import { type Operation, OPERATIONS } from '../../../contract/facts.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { errorBodiesChecks } from './error-bodies.ts'
import { createScriptedExchange, type ScriptedResponse } from '../../prove/no-evidence-targets/scripted-context.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const BODY = '{"error":{"message":"no","type":"invalid_request_error","param":null,"code":null}}'
const conforming = (status: number): ScriptedResponse => ({ status, headers: JSON_TYPE, body: BODY })
const page = (status: number): ScriptedResponse => ({ status, headers: { 'content-type': 'text/html' }, body: '<p>no' })

interface SentRequest {
  readonly operation: Operation | undefined
  readonly path?: string
  readonly response: ScriptedResponse
  readonly method?: string
  readonly kind?: LoggedExchange['kind']
  readonly headers?: Readonly<Record<string, string>>
}

function summarize(status: number, ...sent: readonly SentRequest[]) {
  const exchanges = sent.map(
    ({ operation, response, kind = 'invalid', headers = {}, ...others }, request): LoggedExchange => {
      const { method, path } = { ...OPERATIONS[operation ?? 'models'], ...others }
      const exchange = createScriptedExchange(response, { method, path, headers })
      return { source: '5/a', operation, key: 'none', kind, request, isFinal: true, exchange, form: undefined }
    },
  )
  const check = errorBodiesChecks.find(({ id }) => id === `7/error-body-${status}`)
  const summary = check?.summarize({ baseUrl: 'http://target.test', startedAt: 0, exchanges })
  const headers = summary?.evidence?.map(({ exchange }) => Object.keys(exchange.request.headers)) ?? []
  return { outcome: summary?.outcome, headers }
}

test('warns about an operation whose errors differ from those of chat', () => {
  const chat = { operation: 'chat', response: conforming(401) } as const
  const images = { operation: 'images', response: conforming(401) } as const
  expect(summarize(401, chat, images).outcome).toMatchObject({ verdict: 'pass' })
  expect(summarize(401, chat, images, { operation: 'speech', response: page(401) }).outcome).toMatchObject({
    verdict: 'warn',
    difference: { responses: 1, of: 1, operations: ['speech'] },
  })
})

test('warns about errors of chat that other validation errors of chat do not share', () => {
  const chat = { operation: 'chat', response: conforming(400) } as const
  expect(summarize(400, chat, { operation: 'chat', response: page(400) }).outcome).toMatchObject({
    verdict: 'warn',
    difference: { responses: 1, of: 2, operations: ['chat'] },
  })
})

test('reports the most frequent deviation, and counts only the bodies that have it', () => {
  const text = (value: string): SentRequest => ({
    operation: 'chat',
    response: { status: 401, headers: JSON_TYPE, body: JSON.stringify({ error: value }) },
  })
  const detail: SentRequest = {
    operation: 'images',
    response: { status: 401, headers: JSON_TYPE, body: '{"detail":"no"}' },
  }
  expect(summarize(401, detail, text('Unauthorized'), text('No key'))).toMatchObject({
    outcome: { code: 'wrong-type', params: { path: 'error' }, difference: { responses: 2, of: 2 } },
    headers: [[], []],
  })
})

test('evaluates the error of an unknown endpoint, which belongs to no operation', () => {
  const chat = { operation: 'chat', response: conforming(404) } as const
  const unknown = { operation: undefined, method: 'GET', path: '/v1/unknown', response: page(404) } as const
  expect(summarize(404, chat, unknown).outcome).toMatchObject({
    verdict: 'warn',
    difference: { responses: 1, of: 1, operations: [] },
  })
})

test('shows the request with the fewest header fields first', () => {
  const models = { operation: 'models', response: page(404) } as const
  expect(summarize(404, { ...models, headers: { 'x-api-key': 'a', 'api-key': 'a' } }, models)).toMatchObject({
    outcome: { verdict: 'warn' },
    headers: [[]],
  })
})

test('repeats a 429 with as many parallel requests as the check sent with the key', () => {
  const limited = { operation: 'chat', response: page(429), kind: 'valid' } as const
  expect(
    summarize(429, limited, { operation: 'chat', response: { status: 200 }, kind: 'valid' }).outcome,
  ).toMatchObject({
    verdict: 'warn',
    parallel: 2,
  })
})

test.each<[string, SentRequest]>([
  ['to a method that the operation does not have', { operation: 'models', response: page(401), method: 'HEAD' }],
  ['to a request whose handling is unspecified', { operation: 'speech', response: page(401), kind: 'unspecified' }],
  ['with another status', { operation: 'speech', response: page(404) }],
])('ignores an error %s', (_, other) => {
  expect(summarize(401, other).outcome).toMatchObject({ verdict: 'not-testable', code: 'status-not-seen' })
})
