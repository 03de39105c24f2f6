import { expect, test } from 'vitest'
import { isSummaryCheck, type SummaryOutcome } from '../../engine/check.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { finishReasonAtBoundCheck } from '../2.3-completion/completion.ts'
import { statusChecks } from '../7-errors/statuses.ts'
import { everyResponseChecks } from './every-response.ts'
import { LONG_COMPLETION_MESSAGES } from './long-completion.ts'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'

const MODEL = 'vendora-v4-flash'
const PLAIN = { model: MODEL, messages: [{ role: 'user', content: 'Say hello to a.' }], max_tokens: 16 }
const LONG = { ...PLAIN, messages: LONG_COMPLETION_MESSAGES }

interface Sent {
  readonly fields: object
  readonly body?: string
  /** Source and JSON text of the request. Default: the text of `fields`. */
  readonly source?: string
  readonly text?: string
  readonly status?: number
  readonly kind?: LoggedExchange['kind']
  readonly isFinal?: boolean
  readonly wasAborted?: true
  readonly parallel?: number
}

function completion(tokens: number, { model = MODEL, total = tokens + 5, reason = 'length' } = {}): string {
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: reason }],
    usage: { prompt_tokens: 5, completion_tokens: tokens, total_tokens: total },
  })
}

function streamOf(words: number): string {
  const chunk = `data: ${JSON.stringify({ choices: [{ delta: { content: 'seven ' } }] })}\n\n`
  return chunk.repeat(words)
}

function logOf(all: readonly Sent[]): LoggedExchange[] {
  return all.map(
    (
      {
        fields,
        body = completion(16),
        status = 200,
        kind = 'valid',
        isFinal = true,
        source = '4.2/a',
        parallel,
        ...extra
      },
      request,
    ) => {
      const { text = JSON.stringify(fields), ...changes } = extra
      const isStream = 'stream' in fields && fields.stream === true
      const headers = { 'content-type': isStream ? 'text/event-stream' : 'application/json' }
      const spec = {
        method: 'POST',
        path: '/v1/chat/completions',
        headers: {},
        body: Buffer.from(text),
      }
      const exchange = { ...createScriptedExchange({ status, headers, body }, spec), ...changes }
      const group = parallel === undefined ? {} : { parallel }
      return { source, operation: 'chat', key: 'funded', kind, request, isFinal, exchange, form: undefined, ...group }
    },
  )
}

function summarize(id: string, ...all: readonly Sent[]): SummaryOutcome {
  const check = [...everyResponseChecks, ...statusChecks, finishReasonAtBoundCheck].find((one) => one.id === id)
  if (check === undefined || !isSummaryCheck(check)) throw new Error(`no summary check ${id}`)
  return check.summarize({ baseUrl: 'http://target.test', startedAt: 0, exchanges: logOf(all) })
}

const plain: Sent = { fields: PLAIN }
const BOUND = '4.2/max-tokens-everywhere'

test('a check of all responses passes and reports the number of evaluated responses', () => {
  const { outcome, evidence = [] } = summarize('4.2/every-completion', plain, plain, { fields: LONG })
  expect(outcome).toMatchObject({ verdict: 'pass', params: { seen: { kind: 'every-response', responses: 3 } } })
  expect(evidence).toEqual([])
})

test('does not evaluate the length of a stream that the suite aborted', () => {
  const aborted: Sent = { fields: { ...LONG, stream: true }, body: streamOf(1), wasAborted: true }
  const { outcome } = summarize(BOUND, { fields: LONG }, aborted)
  expect(outcome).toMatchObject({ verdict: 'pass', params: { seen: { responses: 1 } } })
})

test.each([
  ['no usage', streamOf(1)],
  ['usage in each chunk', streamOf(1).replace('{"choices"', '{"usage":{"completion_tokens":1},"choices"')],
])('does not evaluate the length of a truncated stream with %s', (_name, body) => {
  const stream = { ...LONG, stream: true }
  const missing = { verdict: 'not-testable', params: { missing: 'recorded-response' } }
  expect(summarize(BOUND, { fields: stream, body }).outcome).toMatchObject(missing)
  const whole = summarize(BOUND, { fields: stream, body: `${body}data: [DONE]\n\n` })
  expect(whole.outcome).toMatchObject({ verdict: 'pass', params: { seen: { responses: 1 } } })
})

test('a check of all responses is not testable without a recorded response', () => {
  const missing = { verdict: 'not-testable', code: 'no-evidence', params: { missing: 'recorded-response' } }
  for (const { id } of [...everyResponseChecks, ...statusChecks]) expect(summarize(id).outcome).toMatchObject(missing)
  const rejected: Sent = { fields: PLAIN, status: 400, body: '{}' }
  expect(summarize('4.2/every-completion', rejected).outcome).toMatchObject(missing)
})

test('fails if one model deviates, names the model, and shows three responses', () => {
  const other = { fields: { ...LONG, model: 'o3-mini' }, body: completion(138, { model: 'o3-mini' }) }
  const { outcome, evidence } = summarize(BOUND, plain, { fields: LONG }, other, other, other, other)
  expect(outcome).toMatchObject({
    verdict: 'fail',
    code: 'bound-exceeded',
    params: { actual: 138, bound: 16 },
    difference: { responses: 4, of: 4, model: 'o3-mini' },
  })
  expect(evidence).toHaveLength(3)
})

test('fails if two of five streams without usage are too long', () => {
  const body = (words: number) => `${streamOf(words)}data: [DONE]\n\n`
  const stream = (words: number): Sent => ({ fields: { ...LONG, stream: true }, body: body(words) })
  const { outcome } = summarize(BOUND, ...[2, 100, 2, 100, 2].map(stream))
  expect(outcome).toMatchObject({
    verdict: 'fail',
    code: 'text-exceeds-bound',
    params: { words: 100, events: 100 },
    difference: { responses: 2, of: 5 },
  })
})

test('does not pass a stream without usage whose text may exceed the bound', () => {
  const body = `${streamOf(15)}data: [DONE]\n\n`
  const { outcome } = summarize(BOUND, { fields: { ...LONG, stream: true }, body })
  expect(outcome).toMatchObject({ verdict: 'not-testable', params: { missing: 'recorded-response' } })
})

test('applies the default of max_tokens to requests without it', () => {
  const { max_tokens: _bound, ...unbound } = PLAIN
  const within = { fields: unbound, body: completion(256) }
  const beyond = { fields: unbound, body: completion(257) }
  expect(summarize(BOUND, plain, within).outcome.verdict).toBe('pass')
  expect(summarize(BOUND, plain, beyond).outcome).toMatchObject({
    verdict: 'fail',
    params: { actual: 257, bound: 256 },
  })
})

test.each([
  ['an invalid bound', { ...PLAIN, max_tokens: '16' }],
  ['a bound of 0, which is not specified', { ...PLAIN, max_tokens: 0 }],
  ['unknown members', { ...PLAIN, max_completion_tokens: 400 }],
])('does not apply max_tokens to a request with %s', (_name, fields) => {
  const { outcome } = summarize(BOUND, plain, { fields, kind: 'unspecified', body: completion(300) })
  expect(outcome).toMatchObject({ verdict: 'pass', params: { seen: { responses: 1 } } })
})

test('is not testable if the plain response deviates, because the check of the field reports the deviation', () => {
  const other = { fields: PLAIN, body: completion(16, { model: 'other' }) }
  expect(summarize('4.2/every-completion', other, other).outcome).toMatchObject({
    verdict: 'not-testable',
    code: 'plain-response-deviates',
    params: { deviation: { code: 'wrong-value', params: { path: 'model' } } },
  })
})

test('fails if only some plain responses deviate, because the check of the field may have received a correct one', () => {
  const other = { fields: PLAIN, body: completion(16, { model: 'other' }) }
  for (const responses of [
    [other, plain, plain],
    [other, other, plain],
  ]) {
    expect(summarize('4.2/every-completion', ...responses).outcome).toMatchObject({
      verdict: 'fail',
      difference: { responses: responses.filter((response) => response === other).length, of: 3 },
    })
  }
})

test('ignores invalid requests, and attempts that were repeated', () => {
  const html = { fields: { ...PLAIN, temperature: 3 }, body: '<html>' }
  const { outcome } = summarize(
    '4.2/every-completion',
    plain,
    { ...html, kind: 'invalid' },
    { ...html, isFinal: false },
  )
  expect(outcome).toMatchObject({ verdict: 'pass', params: { seen: { responses: 1 } } })
})

test('warns about an incorrect total in the usage of a stream', () => {
  const usage = { prompt_tokens: 5, completion_tokens: 16, total_tokens: 16 }
  const body = `${streamOf(3)}data: ${JSON.stringify({ choices: [], usage })}\n\n`
  const { outcome } = summarize('2.3/usage-adds-up-everywhere', plain, { fields: { ...LONG, stream: true }, body })
  expect(outcome).toMatchObject({ verdict: 'warn', code: 'wrong-value', difference: { responses: 1, of: 2 } })
})

const ERROR_EVENT = 'data: {"error":{"message":"upstream timed out"}}\n\n'

test('fails if a stream and its repeat both report an error after their first events', () => {
  const whole: Sent = { fields: { ...LONG, stream: true }, body: streamOf(3) }
  const broken: Sent = { ...whole, body: streamOf(3) + ERROR_EVENT }
  const check = (...all: readonly Sent[]) => summarize('4.2/every-stream', ...all).outcome
  expect(check(whole, whole)).toMatchObject({ verdict: 'pass', params: { seen: { responses: 2 } } })
  expect(check(whole, broken)).toMatchObject({ verdict: 'fail', code: 'error-in-stream' })
  expect(check(whole, { ...broken, isFinal: false }).verdict).toBe('pass')
  expect(check(whole, broken, broken, broken)).toMatchObject({
    verdict: 'fail',
    code: 'error-in-stream',
    difference: { responses: 3, of: 4 },
  })
})

test('names a completion that is a stream, although others are JSON', () => {
  const { outcome } = summarize('4.2/every-completion', plain, { fields: LONG, body: streamOf(3) })
  expect(outcome).toMatchObject({ verdict: 'fail', code: 'wrong-body', difference: { responses: 1, of: 2 } })
})

test('sends a command in parallel if only parallel responses deviate', () => {
  const whole: Sent = { fields: { ...LONG, stream: true }, body: streamOf(3) }
  const broken: Sent = { ...whole, body: streamOf(3) + ERROR_EVENT }
  const check = (...all: readonly Sent[]) => summarize('4.2/every-stream', ...all).outcome.parallel
  expect(check(whole, { ...broken, parallel: 16 })).toBe(16)
  expect(check(whole, { ...broken, parallel: 16 }, broken)).toBeUndefined()
})

test.each([301, 405, 422, 451])('a valid request fails with status %i', (status) => {
  const { outcome } = summarize('7/statuses-chat', plain, { fields: LONG, status, body: '' })
  expect(outcome).toMatchObject({
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus: status },
    difference: { responses: 1, of: 2 },
  })
})

test('ignores statuses of the table, breakdowns and invalid requests, because other checks evaluate them', () => {
  const rejected = [400, 401, 402, 404, 429, 500, 502].map((status) => ({ fields: PLAIN, status, body: '' }))
  const mistake: Sent = { fields: PLAIN, status: 422, kind: 'invalid', body: '' }
  expect(summarize('7/statuses-chat', ...rejected, mistake).outcome.verdict).toBe('pass')
})

test('does not count a complete text as truncated if its completion_tokens and max_tokens are both 0', () => {
  const whole = { fields: { ...PLAIN, max_tokens: 0 }, body: completion(0, { reason: 'stop' }) }
  const { outcome } = summarize('2.3/finish-reason-at-bound', whole)
  expect(outcome).toMatchObject({ verdict: 'not-testable', params: { missing: 'cut-completion' } })
})

test('observes the finish_reason of completions that reached their bound', () => {
  const id = '2.3/finish-reason-at-bound'
  const short = { fields: PLAIN, body: completion(15, { reason: 'stop' }) }
  expect(summarize(id, short).outcome).toMatchObject({ verdict: 'not-testable', params: { missing: 'cut-completion' } })
  expect(summarize(id, short, plain).outcome).toMatchObject({
    verdict: 'observed',
    params: { seen: { reasons: ['length'] } },
  })
  const stop = { fields: LONG, body: completion(16, { reason: 'stop' }) }
  expect(summarize(id, plain, stop, plain).outcome).toMatchObject({ params: { seen: { reasons: ['length', 'stop'] } } })
})

test('warns about a stream that names a different model of the target', () => {
  const streamed = (requested: string, named: string): Sent => ({
    fields: { ...PLAIN, model: requested, stream: true },
    body: `data: ${JSON.stringify({ model: named, choices: [{ delta: { content: 'seven ' } }] })}\n\n`,
  })
  const other: Sent = { fields: { ...PLAIN, model: 'o3-mini' }, body: completion(16, { model: 'o3-mini' }) }
  const check = (...all: readonly Sent[]) => summarize('4.2/stream-model', ...all).outcome
  expect(check(other, streamed(MODEL, 'o3-mini'))).toMatchObject({ verdict: 'warn', code: 'wrong-value' })
  expect(check(other, streamed(MODEL, MODEL)).verdict).toBe('pass')
  // The target serves no request with this name, so it may be an alias.
  expect(check(other, streamed(MODEL, 'alias')).verdict).toBe('pass')
  // The specification does not require chunks to name a model.
  expect(check({ fields: { ...PLAIN, stream: true }, body: streamOf(2) }).verdict).toBe('pass')
})

test('evaluates the completions of escaped requests and of the large body', () => {
  const wrong = completion(16).replace('chat.completion', 'completion')
  const escaped: Sent = { fields: {}, text: JSON.stringify(LONG).replace('Count', String.raw`\u0043ount`), body: wrong }
  const padded = `${JSON.stringify(PLAIN).slice(0, -1)}    }`
  const large: Sent = { fields: {}, text: padded, body: wrong, kind: 'unspecified', source: '7/large-body-chat' }
  for (const one of [escaped, large]) {
    expect(summarize('4.2/every-completion', plain, one).outcome).toMatchObject({
      verdict: 'fail',
      code: 'wrong-value',
      difference: { responses: 1, of: 2 },
    })
  }
  expect(summarize('4.2/every-completion', plain, { ...large, source: '4.2/b' }).outcome.verdict).toBe('pass')
})
