import { describe, expect, test } from 'vitest'
import { createScriptedExchange } from '../prove/no-evidence-targets/scripted-context.ts'
import type { Exchange, ExchangeError } from '../http/exchange.ts'
import * as outcomes from './expect.ts'
import type { Deviation } from './families.ts'

function status(code: number): Exchange {
  return createScriptedExchange({ status: code })
}

function broken(kind: ExchangeError, code = 0): Exchange {
  return createScriptedExchange({ status: code, error: { kind, message: kind } })
}

const TESTER_SIDE: readonly ExchangeError[] = [
  'spend-limit',
  'interrupted',
  'refused',
  'dns',
  'tls',
  'http-version',
  'not-tls',
  'too-large',
]
const TARGET_SIDE: readonly ExchangeError[] = ['reset', 'closed-early', 'malformed']

const DIFFERENCE = { parameter: 'temperature', value: 2.1 }

describe('an expected error response', () => {
  const reject = (response: Exchange, control: Exchange) =>
    outcomes.checkErrorResponse(response, 400, { control, difference: DIFFERENCE }).verdict

  test('passes with the expected error status if the control request is served', () => {
    expect(reject(status(400), status(200))).toBe('pass')
    expect(reject(status(400), status(201))).toBe('pass')
  })

  test('passes with any of several expected error statuses', () => {
    const outcome = outcomes.checkErrorResponse(status(404), [400, 404], {
      control: status(200),
      difference: DIFFERENCE,
    })
    expect(outcome).toMatchObject({ verdict: 'pass', expected: { status: [400, 404] } })
  })

  test.each([200, 204, 302, 401, 403, 404, 422, 500, 503])(
    'fails with status %i instead of the expected error status',
    (code) => {
      expect(reject(status(code), status(200))).toBe('fail')
    },
  )

  test.each([
    [200, 'pass'],
    [400, 'pass'],
    [403, 'pass'],
    [422, 'pass'],
    [429, 'not-testable'],
    [302, 'fail'],
    [500, 'fail'],
  ] as const)('treats %i as %s if the target may serve the request or reject it with any 4xx', (code, verdict) => {
    const invalid = [{ difference: DIFFERENCE, response: status(code) }]
    expect(outcomes.checkErrorResponses(invalid, ['2xx', '4xx'], { control: status(200) }).verdict).toBe(verdict)
  })

  test.each([302, 400, 401, 403, 404, 422, 500])(
    'is not testable if the control request gets %i, regardless of the response to the invalid request',
    (code) => {
      for (const invalid of [200, 400, 500]) expect(reject(status(invalid), status(code))).toBe('not-testable')
    },
  )

  test('is not testable if the account is rate-limited or empty, and fails if a 402 is part of the test', () => {
    expect(reject(status(429), status(200))).toBe('not-testable')
    expect(reject(status(402), status(200))).toBe('not-testable')
    expect(reject(status(400), status(402))).toBe('not-testable')
    expect(
      outcomes.checkErrorResponse(status(402), 402, { control: status(200), difference: DIFFERENCE }).verdict,
    ).toBe('pass')
  })

  test.each(TARGET_SIDE)('fails if the target ends the exchange (%s)', (kind) => {
    expect(reject(broken(kind), status(200))).toBe('fail')
    expect(reject(broken(kind, 400), status(200))).toBe('fail')
  })

  test('fails if the invalid request times out, unless the control request does too', () => {
    const late = { ...broken('timeout'), totalMs: 3000 }
    expect(reject(late, { ...status(200), totalMs: 1000 })).toBe('fail')
    expect(reject(late, { ...status(200), totalMs: 1001 })).toBe('not-testable')
    expect(reject(late, broken('timeout'))).toBe('not-testable')
  })

  test.each(TESTER_SIDE)('is not testable if the tester’s side is the reason (%s)', (kind) => {
    expect(reject(broken(kind), status(200))).toBe('not-testable')
    expect(reject(status(400), broken(kind))).toBe('not-testable')
  })

  test('names the invalid request that the target did not reject', () => {
    const invalid = [
      { difference: { parameter: 'n', value: 'one' }, response: status(400) },
      { difference: { parameter: 'n', value: {} }, response: status(200) },
    ]
    expect(outcomes.checkErrorResponses(invalid, 400, { control: status(200) })).toMatchObject({
      exchange: invalid[1]?.response,
      verdict: 'fail',
      code: 'unexpected-status',
      params: { actualStatus: 200 },
      expected: { status: [400] },
      difference: { parameter: 'n', value: {} },
    })
  })

  test('names the control request that the target did not serve', () => {
    const outcome = outcomes.checkErrorResponse(status(400), 400, { control: status(429), difference: DIFFERENCE })
    expect(outcome).toMatchObject({
      verdict: 'not-testable',
      code: 'control-request-not-served',
      params: { actualStatus: 429 },
      expected: { status: [400] },
    })
  })
})

const EXPECTED = { field: 'id', type: 'string' } as const
const DEVIATION = { code: 'missing-field', params: { path: 'id' } } as const

describe('a stated sentence about a served request', () => {
  const hold = (response: Exchange, found?: Deviation) => outcomes.checkResponse(response, EXPECTED, () => found)

  test('a stated sentence passes without a deviation, and fails with one', () => {
    expect(hold(status(200)).verdict).toBe('pass')
    expect(hold(status(200), DEVIATION)).toMatchObject({ verdict: 'fail', expected: EXPECTED, ...DEVIATION })
  })

  test.each([302, 400, 401, 402, 404, 405, 422, 429, 500])(
    'a stated sentence is not testable after a response with status %i',
    (code) => {
      expect(hold(status(code))).toMatchObject({
        verdict: 'not-testable',
        code: code === 500 ? 'request-broke-down' : 'request-not-served',
        params: { actualStatus: code },
      })
    },
  )

  test('a stated sentence is not testable after a timeout, because the specification states no deadline', () => {
    expect(hold(broken('timeout')).verdict).toBe('not-testable')
    expect(outcomes.checkSuccess(broken('timeout')).verdict).toBe('not-testable')
  })
})

test('success fails only for a rejection with 400 or 404, because other checks report the other statuses', () => {
  const verdicts = [200, 201, 302, 400, 401, 404, 422, 500, 402, 429].map(
    (code) => outcomes.checkSuccess(status(code)).verdict,
  )
  const untested = 'not-testable'
  expect(verdicts).toEqual(['pass', 'pass', untested, 'fail', untested, 'fail', ...Array(4).fill(untested)])
})

test('an accepted key fails only for a 401', () => {
  const verdicts = [200, 401, 400, 500].map((code) => outcomes.checkAuthorized(status(code)).verdict)
  expect(verdicts).toEqual(['pass', 'fail', 'not-testable', 'not-testable'])
})

describe('a convention', () => {
  test('a convention warns with its consequence, and never fails', () => {
    expect(outcomes.checkConvention(status(200), EXPECTED, () => DEVIATION, 'z')).toMatchObject({
      verdict: 'warn',
      expected: EXPECTED,
      consequence: 'z',
      ...DEVIATION,
    })
    expect(outcomes.checkConvention(status(200), EXPECTED, () => undefined, 'z').verdict).toBe('pass')
    expect(outcomes.checkConvention(status(500), EXPECTED, () => DEVIATION, 'z').verdict).toBe('not-testable')
  })

  test('a convention about a client’s request warns only if the plain request is served', () => {
    const tolerate = (response: Exchange, plain: Exchange) =>
      outcomes.checkRequestForm(response, { asWellAs: plain }, EXPECTED, () => undefined, 'z').verdict
    expect(tolerate(status(406), status(200))).toBe('warn')
    expect(tolerate(status(200), status(200))).toBe('pass')
    expect(tolerate(status(406), status(400))).toBe('not-testable')
    expect(tolerate(status(429), status(200))).toBe('not-testable')
    expect(tolerate(status(500), status(200))).toBe('not-testable')
  })
})

describe('an observation', () => {
  test.each([200, 301, 400, 401, 404, 405, 415, 422])('an observation reports status %i', (code) => {
    expect(outcomes.observe(status(code))).toEqual({
      verdict: 'observed',
      code: 'observed-response',
      params: { seen: { kind: 'response', actualStatus: code } },
    })
  })

  test('observes a 2xx with an error in the body, which the specification allows for an unspecified request', () => {
    const response = createScriptedExchange({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"error":{"message":"unsupported"}}',
    })
    expect(outcomes.observe(response)).toMatchObject({ verdict: 'observed', params: { seen: { isErrorInBody: true } } })
    expect(outcomes.isServed(response)).toBe(false)
  })

  test('an observation is not testable after a breakdown, and never fails', () => {
    for (const response of [status(500), broken('reset'), broken('timeout')]) {
      expect(outcomes.observe(response)).toMatchObject({ verdict: 'not-testable', code: 'request-broke-down' })
    }
    expect(outcomes.observe(broken('spend-limit')).verdict).toBe('not-testable')
    expect(outcomes.observe(status(429)).verdict).toBe('not-testable')
  })
})
