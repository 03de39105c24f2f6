import { expect, test } from 'vitest'
import { type Operation, OPERATIONS } from '../../../contract/facts.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { errorBodiesEverywhereChecks } from './error-bodies-everywhere.ts'
import { createScriptedExchange, type ScriptedResponse } from '../../prove/no-evidence-targets/scripted-context.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const BODY = '{"error":{"message":"no","type":"invalid_request_error","param":null,"code":null}}'
const conforming = (status: number): ScriptedResponse => ({ status, headers: JSON_TYPE, body: BODY })
const page = (status: number): ScriptedResponse => ({ status, headers: { 'content-type': 'text/html' }, body: '<p>no' })

interface SentRequest {
  readonly operation: Operation
  readonly response: ScriptedResponse
  readonly method?: string
  readonly kind?: LoggedExchange['kind']
  readonly headers?: Readonly<Record<string, string>>
}

function summarize(...sent: readonly SentRequest[]) {
  const exchanges = sent.map(
    ({ operation, response, kind = 'invalid', headers = {}, ...others }, request): LoggedExchange => {
      const { method, path } = { ...OPERATIONS[operation], ...others }
      const exchange = createScriptedExchange(response, { method, path, headers })
      return { source: '5/a', operation, key: 'none', kind, request, isFinal: true, exchange, form: undefined }
    },
  )
  return errorBodiesEverywhereChecks.map((check) => {
    const { outcome, evidence = [] } = check.summarize({ baseUrl: 'http://target.test', startedAt: 0, exchanges })
    const headers = evidence.map(({ exchange }) => Object.keys(exchange.request.headers))
    return { outcome, operations: evidence.map(({ operation }) => operation), headers }
  })
}

test('warns about an operation whose errors differ from those of chat', () => {
  const chat = { operation: 'chat', response: conforming(401) } as const
  const images = { operation: 'images', response: conforming(401) } as const
  expect(summarize(chat, images)).toMatchObject([{ outcome: { verdict: 'pass' }, operations: [] }])
  expect(summarize(chat, images, { operation: 'speech', response: page(401) })).toMatchObject([
    { outcome: { verdict: 'warn', difference: { responses: 1, of: 2 } }, operations: ['speech'] },
  ])
})

test('shows the request with the fewest header fields first', () => {
  const chat = { operation: 'chat', response: conforming(401) } as const
  const models = { operation: 'models', response: page(404) } as const
  expect(summarize(chat, { ...models, headers: { 'x-api-key': 'a', 'api-key': 'a' } }, models)).toMatchObject([
    { outcome: { verdict: 'warn' }, headers: [[], ['x-api-key', 'api-key']] },
  ])
})

test.each<[string, SentRequest]>([
  ['of a status whose body deviates for chat too', { operation: 'speech', response: page(400) }],
  ['to a method that the operation does not have', { operation: 'models', response: page(401), method: 'HEAD' }],
  ['to a request whose handling is unspecified', { operation: 'speech', response: page(404), kind: 'unspecified' }],
  ['of a server error', { operation: 'speech', response: page(500) }],
])('ignores an error %s', (_, other) => {
  expect(summarize({ operation: 'chat', response: page(400) }, other)).toMatchObject([
    { outcome: { verdict: 'not-testable' }, operations: [] },
  ])
})
