import { expect, test } from 'vitest'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { Outcome } from '../findings/outcome.ts'
import { CHECKS } from '../sections/checks.ts'
import { findReportingCheck } from '../sections/shared/reporting-checks.ts'
import { nameReportingChecks } from './reporting-checks.ts'
import type { CheckResult } from './run-check.ts'

const SUITE = { requirements: [], checks: CHECKS, findReportingCheck }
const BY_ID = new Map(CHECKS.map((check) => [check.id, check]))

function resultOf(id: string, outcome: Outcome): CheckResult {
  const identity = { id, requirement: id, section: '0', level: 'stated', title: id } as const
  const entry: CheckEntry = {
    ...identity,
    verdict: outcome.verdict,
    code: outcome.code,
    params: {},
    expected: [],
    actual: 'a sentence',
    durationMs: 1,
  }
  return { entry, outcome }
}

function run(...results: readonly CheckResult[]): [verdict: string, because: string | undefined][] {
  return nameReportingChecks(results, SUITE, BY_ID).map(({ entry }) => [entry.verdict, entry.because])
}

const NOT_SERVED = { verdict: 'not-testable', code: 'request-not-served' } as const
const REJECTED = { verdict: 'fail', code: 'unexpected-status', params: { actualStatus: 404 } } as const
const SERVED = { verdict: 'fail', code: 'unexpected-status', params: { actualStatus: 200 } } as const

test.each([
  [{ actualStatus: 404 }, '1/images-offered'],
  [{ actualStatus: 401 }, '5/valid-key-images'],
  [{ actualStatus: 500 }, '7/breakdown-images'],
  [{ actualStatus: 0, error: 'reset' } as const, '7/breakdown-images'],
])('a check whose valid request got %j names the failed check that reports it', (params, because) => {
  const blocked = resultOf('2.4/created', { ...NOT_SERVED, params })
  expect(run(blocked, resultOf(because, REJECTED))).toEqual([
    ['not-testable', because],
    ['fail', undefined],
  ])
  expect(run(blocked, resultOf(because, { verdict: 'pass', code: 'as-expected', params: {} }))[0]).toEqual([
    'not-testable',
    undefined,
  ])
  expect(run(blocked)).toEqual([['not-testable', undefined]])
})

test('the sentence of the check names the failed check', () => {
  const results = [
    resultOf('2.4/created', { ...NOT_SERVED, params: { actualStatus: 404 } }),
    resultOf('1/images-offered', REJECTED),
  ]
  const [blocked] = nameReportingChecks(results, SUITE, BY_ID)
  expect(blocked?.entry.actual).toBe('1/images-offered failed: a sentence')
})

test('follows a check that is itself not testable to the failed check', () => {
  const missing = { verdict: 'not-testable', code: 'no-evidence', params: { missing: 'usage' } } as const
  const results = [
    resultOf('8/max-tokens-default', missing),
    resultOf('2.3/usage', { ...NOT_SERVED, params: { actualStatus: 404 } }),
    resultOf('1/chat-offered', REJECTED),
  ]
  expect(run(...results).map(([, because]) => because)).toEqual(['1/chat-offered', '1/chat-offered', undefined])
})

test('a request that is served without credits fails only if the target checks keys', () => {
  const withoutCredits = resultOf('5/no-credits-chat', { ...SERVED, difference: { account: 'no-credits' } })
  const unknownKey = resultOf('5/unknown-key-chat', { ...SERVED, difference: { credential: 'unknown-key' } })
  expect(run(withoutCredits)).toEqual([['fail', undefined]])
  expect(run(withoutCredits, unknownKey)).toEqual([
    ['not-testable', '5/unknown-key-chat'],
    ['fail', undefined],
  ])
})

test('an unknown key that gets a wrong status is no reason, because the target distinguishes the keys', () => {
  const params = { requests: 20 }
  const limit = resultOf('7/rate-limit-exceeded', { verdict: 'not-testable', code: 'limit-not-reached', params })
  const unknownKey = (actualStatus: number) =>
    resultOf('5/unknown-key-chat', { ...SERVED, params: { actualStatus }, difference: { credential: 'unknown-key' } })
  expect(run(limit, unknownKey(403))[0]).toEqual(['not-testable', undefined])
  expect(run(limit, unknownKey(200))[0]).toEqual(['not-testable', '5/unknown-key-chat'])
})

test('a check that finds a deviation in the plain response too names the failed check that found it', () => {
  const missing = { code: 'missing-field', params: { path: 'usage' } } as const
  const every = resultOf('4.2/every-completion', {
    verdict: 'not-testable',
    code: 'plain-response-deviates',
    params: { deviation: missing },
  })
  expect(run(every, resultOf('2.3/usage', { verdict: 'fail', ...missing }))[0]).toEqual(['not-testable', '2.3/usage'])
  expect(run(every, resultOf('2.3/usage', { verdict: 'pass', code: 'as-expected', params: {} }))[0]?.[1]).toBe(
    undefined,
  )
})

test('the deviation of the plain response is the same if only the value of the field differs', () => {
  const wrong = (actual: number) => ({ code: 'wrong-value', params: { path: 'created', actual } }) as const
  const every = resultOf('4.2/every-completion', {
    verdict: 'not-testable',
    code: 'plain-response-deviates',
    params: { deviation: wrong(1_795_805_406_559) },
  })
  const found = resultOf('2.3/created', { verdict: 'fail', ...wrong(1_795_805_407_135) })
  expect(run(every, found)[0]).toEqual(['not-testable', '2.3/created'])
})

test('a failure stays a failure if the check that reports it only warned', () => {
  const exceeded = { served: 3, requests: 3, credits: 2, balance: 1 }
  const spending = resultOf('5/concurrent-spending', { verdict: 'fail', code: 'balance-exceeded', params: exceeded })
  const warning = resultOf('5/unknown-key-chat', { ...SERVED, verdict: 'warn' })
  expect(run(spending, warning)[0]).toEqual(['fail', undefined])
})

test('a status of requests that were rejected in parallel is no evidence for another check', () => {
  const by = [{ endpoint: 'POST /v1/chat/completions', actualStatus: 404, requests: 9 }]
  const params = { rejected: 9, requests: 90, by }
  const report = resultOf('7/rejected-in-parallel', { verdict: 'fail', code: 'rejected-in-parallel', params })
  expect(run(resultOf('2.3/role-user', REJECTED), report)[0]).toEqual(['not-testable', '7/rejected-in-parallel'])
  expect(run(resultOf('4.3/n', REJECTED), report)[0]).toEqual(['fail', undefined])
  expect(run(resultOf('2.3/role-user', SERVED), report)[0]).toEqual(['fail', undefined])
})

test('a check of a parameter that the target rejects names the check that found this', () => {
  const servedWith = { parameter: 'max_tokens', omitted: true } as const
  const params = { actualStatus: 400, servedWith }
  const report = resultOf('8/max-tokens-default-given', { verdict: 'fail', code: 'served-only-otherwise', params })
  const blocked = (id: string) => resultOf(id, { ...NOT_SERVED, params: { actualStatus: 400 } })
  expect(run(blocked('4.2/max-tokens-bound'), report)[0]).toEqual(['not-testable', '8/max-tokens-default-given'])
  expect(run(blocked('2.3/role-user'), report)[0]).toEqual(['not-testable', undefined])
})

test('a check of a parameter that the target requires keeps its own result, because it sends the parameter', () => {
  const params = { actualStatus: 422, servedWith: { parameter: 'voice', value: 'alloy' } }
  const report = resultOf('8/voice-default', { verdict: 'fail', code: 'served-only-otherwise', params })
  const rejected = {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus: 422, expected: { kind: 'status', status: 400 } },
  } as const
  expect(run(resultOf('4.5/voice-wrong-type', rejected), report)[0]).toEqual(['fail', undefined])
  const everywhere = resultOf('7/statuses-speech', { ...rejected, difference: { responses: 1, of: 5 } })
  expect(run(everywhere, report)[0]).toEqual(['not-testable', '8/voice-default'])
})

test('checks of keys and credits name the check that found a cache which ignores the key', () => {
  const noCredits = resultOf('5/no-credits-chat', { ...SERVED, difference: { account: 'no-credits' } })
  const unknownKey = resultOf('5/unknown-key-chat', { ...SERVED, difference: { credential: 'unknown-key' } })
  const params = { repeated: 2, requests: 2 }
  const cache = resultOf('5/response-of-another-key', { verdict: 'fail', code: 'response-of-another-key', params })
  expect(run(noCredits, unknownKey, cache)).toEqual([
    ['not-testable', '5/response-of-another-key'],
    ['not-testable', '5/response-of-another-key'],
    ['fail', undefined],
  ])
  const passed = resultOf('5/response-of-another-key', { verdict: 'pass', code: 'as-expected', params: {} })
  expect(run(noCredits, unknownKey, passed)).toEqual([
    ['not-testable', '5/unknown-key-chat'],
    ['fail', undefined],
    ['pass', undefined],
  ])
})

test('a check whose requests get only 429s after clients aborted streams names the check of the aborts', () => {
  const limited = resultOf('7/other-key-unaffected', {
    verdict: 'not-testable',
    code: 'rate-limited',
    params: { retryAfterMs: 1000 },
  })
  const params = { aborted: 4, actualStatus: 429 }
  const aborts = resultOf('4.2/left-stream', { verdict: 'warn', code: 'not-served-after-aborts', params })
  expect(run(limited, aborts)[0]).toEqual(['not-testable', '4.2/left-stream'])
  const passed = resultOf('4.2/left-stream', { verdict: 'pass', code: 'as-expected', params: {} })
  expect(run(limited, passed)[0]).toEqual(['not-testable', undefined])
})

test('a check whose requests time out after the requests of another check names the breakdown check', () => {
  const timedOut = resultOf('7/other-key-unaffected', {
    verdict: 'not-testable',
    code: 'operation-timed-out',
    params: { operation: 'chat', timeoutMs: 8000 },
  })
  const breakdown = (since?: string) =>
    resultOf('7/breakdown-chat', {
      verdict: 'fail',
      code: 'requests-broke-down',
      params: { broken: 3, requests: 90, by: [], ...(since === undefined ? {} : { since }) },
    })
  expect(run(timedOut, breakdown('4.2/left-stream'))[0]).toEqual(['not-testable', '7/breakdown-chat'])
  expect(run(timedOut, breakdown())[0]).toEqual(['not-testable', undefined])
})

test('every check that findReportingCheck names belongs to the suite', () => {
  const ids = new Set(CHECKS.map(({ id }) => id))
  const outcomes: readonly Outcome[] = [
    ...[401, 404, 500].map((actualStatus) => ({ ...NOT_SERVED, params: { actualStatus } })),
    ...(['usage', 'completion-id', 'listed-model', 'limited-response', 'stream-ends'] as const).map(
      (missing) => ({ verdict: 'not-testable', code: 'no-evidence', params: { missing } }) as const,
    ),
    ...(['no-url', 'outside-base-address', 'no-extension', 'not-an-image', 'empty'] as const).map(
      (problem) => ({ verdict: 'not-testable', code: 'image-unreadable', params: { problem } }) as const,
    ),
    { ...SERVED, difference: { account: 'no-credits' } },
  ]
  const named = (['models', 'chat', 'images', 'transcriptions', 'speech'] as const).flatMap((operation) =>
    outcomes.map((outcome) => findReportingCheck(outcome, operation)),
  )
  expect(named.filter((id) => id === undefined || !ids.has(id))).toEqual([])
})
