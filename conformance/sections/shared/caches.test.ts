import { expect, test } from 'vitest'
import type { Check, SummaryCheck } from '../../engine/check.ts'
import type { Outcome } from '../../findings/outcome.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { idsDifferCheck } from '../2.3-completion/unique-ids.ts'
import { responseCacheCheck } from '../5-keys-and-credits/response-cache.ts'
import { streamProgressCheck } from '../4.2-stream/stream-timing.ts'
import { concurrentSpendingCheck } from '../5-keys-and-credits/concurrent-credits.ts'
import { limitExceededCheck, otherKeyCheck } from '../7-rate-limit/rate-limit.ts'
import { recoveryCheck } from '../7-rate-limit/recovery.ts'
import {
  createScriptedContext,
  createScriptedExchange,
  type ScriptedResponse,
} from '../../prove/no-evidence-targets/scripted-context.ts'

/**
 * Creates a context with unique nonces and a target that responds to the n-th request. Collects the bodies of the
 * requests.
 */
function contextOf(respond: (body: string, number: number) => ScriptedResponse) {
  const bodies: string[] = []
  let nonces = 0
  const context = createScriptedContext((request) => {
    const body = Buffer.from(request.body ?? []).toString('utf8')
    if (body !== '') bodies.push(body)
    return respond(body, bodies.length)
  })
  const nonce = () => {
    nonces += 1
    return `t${nonces}`
  }
  return { context: { ...context, nonce }, bodies }
}

function completion(id: string): ScriptedResponse {
  return { status: 200, body: JSON.stringify({ object: 'chat.completion', id, choices: [] }) }
}

function logged(body: string, id: string, key: LoggedExchange['key'] = 'funded', headers = {}): LoggedExchange {
  const exchange = createScriptedExchange(
    { ...completion(id), headers: { 'content-type': 'application/json', ...headers } },
    { method: 'POST', path: '/v1/chat/completions', headers: {}, body: Buffer.from(body) },
  )
  const kind = key === 'funded' ? 'valid' : 'invalid'
  requests += 1
  return { source: '5/a', operation: 'chat', key, kind, request: requests, isFinal: true, exchange, form: undefined }
}

let requests = 0

function summarize(check: SummaryCheck, exchanges: readonly LoggedExchange[]): Outcome {
  return check.summarize({ baseUrl: 'http://target.test', startedAt: 0, exchanges }).outcome
}

test.each<[string, readonly LoggedExchange[], object]>([
  ['passes unique IDs', [logged('a', '1'), logged('b', '2')], { verdict: 'pass' }],
  [
    'passes a cache of completions',
    [logged('a', '1'), logged('a', '1'), logged('b', '2')],
    { verdict: 'pass', params: { seen: { kind: 'cached-completion' } } },
  ],
  [
    'warns about IDs from a small range',
    [logged('a', '1'), logged('b', '2'), logged('c', '1')],
    { verdict: 'warn', code: 'duplicate-value', difference: { responses: 2, of: 3 } },
  ],
  [
    'warns about a cache that ignores a parameter',
    [logged('{"n":1,"seed":2}', '1'), logged('{"n":1,"seed":3}', '1'), logged('{"n":2}', '2')],
    { verdict: 'warn', code: 'completion-repeated', params: { parameters: ['seed'], actual: '1' } },
  ],
  ['is not testable with a single completion', [logged('a', '1')], { verdict: 'not-testable' }],
])('the check of IDs %s', (_name, exchanges, expected) => {
  expect(summarize(idsDifferCheck, exchanges)).toMatchObject(expected)
})

test('shows two completions with the same ID, because one alone does not show a duplicate', () => {
  expect(summarize(idsDifferCheck, [logged('a', '1'), logged('b', '1')]).sequence).toHaveLength(2)
})

test('shows as many completions as those of the run if only some have the same ID', () => {
  const ids = ['1', '2', '3', '1', '4']
  const { sequence = [] } = summarize(
    idsDifferCheck,
    ids.map((id, index) => logged(String(index), id)),
  )
  expect(sequence).toHaveLength(5)
  expect(new Set(sequence).size).toBe(1)
})

const HIT = { 'x-cache': 'HIT from edge' }

test.each<[string, readonly LoggedExchange[], string]>([
  ['a cache that ignores the key', [logged('a', '1'), logged('b', '2'), logged('a', '1', 'none')], 'fail'],
  ['a cache that ignores the account', [logged('a', '1'), logged('a', '1', 'no-credits')], 'fail'],
  ['a cached response without an ID', [logged('a', '1'), logged('a', '', 'none', HIT)], 'fail'],
  ['a response of its own', [logged('a', '1'), logged('a', '2', 'none')], 'pass'],
  ['one ID for all completions', [logged('a', '1'), logged('b', '1'), logged('a', '1', 'none')], 'not-testable'],
  ['no request with another key', [logged('a', '1'), logged('a', '1')], 'not-testable'],
])('recognizes %s', (_name, exchanges, verdict) => {
  expect(summarize(responseCacheCheck, exchanges).verdict).toBe(verdict)
})

const LIMITED: ScriptedResponse = { status: 429, headers: { 'retry-after': '1' } }
const STREAM = {
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: 'data: {"choices":[{"delta":{"content":"one"}}]}\n\n'.repeat(20),
}

test.each<[string, Check, (number: number) => ScriptedResponse]>([
  ['7/rate-limit-exceeded', limitExceededCheck, (number) => (number % 3 === 0 ? LIMITED : completion('c'))],
  ['7/other-key-unaffected', otherKeyCheck, (number) => (number % 3 === 0 ? LIMITED : completion('c'))],
  ['7/recovery', recoveryCheck, (number) => (number === 3 ? LIMITED : completion('c'))],
  ['5/concurrent-spending', concurrentSpendingCheck, () => completion('c')],
])('%s repeats no text that a cache may contain', async (_id, check, respond) => {
  const { context, bodies } = contextOf((_body, number) => respond(number))
  await check.run(context)
  expect(bodies.length).toBeGreaterThan(2)
  expect(bodies.length - new Set(bodies).size).toBe(0)
})

test('4.2/stream-progress requests no stream that may be in a cache', async () => {
  const { context, bodies } = contextOf(() => STREAM)
  await streamProgressCheck.run(context)
  expect(bodies.map((body) => /This is request t\d+\./.test(body))).not.toContain(false)
})
