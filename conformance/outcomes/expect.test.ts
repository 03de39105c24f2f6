import { describe, expect, test } from 'vitest'
import { scriptedExchange } from '../checks/scripted-context.ts'
import type { Exchange, ExchangeError } from '../http/exchange.ts'
import * as outcomes from './expect.ts'
import type { Deviation } from './outcome.ts'

function status(code: number): Exchange {
  return scriptedExchange({ status: code })
}

function broken(kind: ExchangeError, code = 0): Exchange {
  return scriptedExchange({ status: code, error: { kind, message: kind } })
}

const TESTER_SIDE: readonly ExchangeError[] = ['budget', 'interrupted', 'refused', 'dns', 'tls', 'too-large']
const TARGET_SIDE: readonly ExchangeError[] = ['reset', 'closed-early', 'malformed']

const DIFFERENCE = { parameter: 'temperature', value: 2.1 }

describe('an expected error response', () => {
  const reject = (response: Exchange, control: Exchange) =>
    outcomes.errorResponse(response, 400, { control, difference: DIFFERENCE }).verdict

  test('passes with the expected status, when the control request is served', () => {
    expect(reject(status(400), status(200))).toBe('pass')
    expect(reject(status(400), status(201))).toBe('pass')
  })

  test('passes with any of several statuses', () => {
    const outcome = outcomes.errorResponse(status(404), [400, 404], { control: status(200), difference: DIFFERENCE })
    expect(outcome).toMatchObject({ verdict: 'pass', expected: { status: [400, 404] } })
  })

  test.each([200, 204, 302, 401, 403, 404, 422, 500, 503])('fails with %i instead', (code) => {
    expect(reject(status(code), status(200))).toBe('fail')
  })

  test.each([400, 404])('is not testable where the control request is rejected with %i too', (code) => {
    expect(reject(status(400), status(code))).toBe('not-testable')
  })

  test.each([302, 401, 403, 422, 500])(
    'fails if the control request gets %i, which no valid request may get',
    (code) => {
      expect(reject(status(400), status(code))).toBe('fail')
    },
  )

  test('is not testable if the account is rate-limited or empty, and fails if a 402 is part of the test', () => {
    expect(reject(status(429), status(200))).toBe('not-testable')
    expect(reject(status(402), status(200))).toBe('not-testable')
    expect(reject(status(400), status(402))).toBe('not-testable')
    expect(outcomes.errorResponse(status(402), 402, { control: status(200), difference: DIFFERENCE }).verdict).toBe(
      'pass',
    )
  })

  test.each(TARGET_SIDE)('fails where the target ends the exchange (%s)', (kind) => {
    expect(reject(broken(kind), status(200))).toBe('fail')
    expect(reject(broken(kind, 400), status(200))).toBe('fail')
  })

  test('fails where the invalid request times out, but not where the control request does too', () => {
    expect(reject(broken('timeout'), status(200))).toBe('fail')
    expect(reject(broken('timeout'), broken('timeout'))).toBe('not-testable')
  })

  test.each(TESTER_SIDE)('is not testable where the tester’s side is the reason (%s)', (kind) => {
    expect(reject(broken(kind), status(200))).toBe('not-testable')
    expect(reject(status(400), broken(kind))).toBe('not-testable')
  })

  test('names the one of several requests that was not rejected', () => {
    const invalid = [
      { difference: { parameter: 'n', value: 'one' }, response: status(400) },
      { difference: { parameter: 'n', value: {} }, response: status(200) },
    ]
    expect(outcomes.errorResponses(invalid, 400, { control: status(200) })).toEqual({
      verdict: 'fail',
      code: 'unexpected-status',
      params: { actualStatus: 200 },
      expected: { status: [400] },
      difference: { parameter: 'n', value: {} },
    })
  })

  test('names the control request that was not served', () => {
    const outcome = outcomes.errorResponse(status(400), 400, { control: status(429), difference: DIFFERENCE })
    expect(outcome).toEqual({
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
  const hold = (response: Exchange, found?: Deviation) => outcomes.holds(response, EXPECTED, () => found)

  test('passes without a deviation, and fails with one', () => {
    expect(hold(status(200)).verdict).toBe('pass')
    expect(hold(status(200), DEVIATION)).toEqual({ verdict: 'fail', expected: EXPECTED, ...DEVIATION })
  })

  test.each([
    [400, 'not-testable'],
    [404, 'not-testable'],
    [402, 'not-testable'],
    [429, 'not-testable'],
    [401, 'fail'],
    [307, 'fail'],
    [405, 'fail'],
    [500, 'fail'],
  ])('with a response %i is %s', (code, verdict) => {
    expect(hold(status(code)).verdict).toBe(verdict)
  })

  test('is not testable after a time-out, because the document states no time', () => {
    expect(hold(broken('timeout')).verdict).toBe('not-testable')
    expect(outcomes.success(broken('timeout')).verdict).toBe('not-testable')
  })
})

test('success fails for any status but 2xx that the tester’s account does not explain', () => {
  const verdicts = [200, 201, 302, 400, 401, 404, 500, 402, 429].map((code) => outcomes.success(status(code)).verdict)
  expect(verdicts).toEqual(['pass', 'pass', 'fail', 'fail', 'fail', 'fail', 'fail', 'not-testable', 'not-testable'])
})

describe('a convention', () => {
  test('warns with its consequence, and never fails', () => {
    expect(outcomes.keeps(status(200), EXPECTED, () => DEVIATION, 'z')).toEqual({
      verdict: 'warn',
      expected: EXPECTED,
      consequence: 'z',
      ...DEVIATION,
    })
    expect(outcomes.keeps(status(200), EXPECTED, () => undefined, 'z').verdict).toBe('pass')
    expect(outcomes.keeps(status(500), EXPECTED, () => DEVIATION, 'z').verdict).toBe('not-testable')
  })

  test('about a client’s request warns only if the plain request is served', () => {
    const tolerate = (response: Exchange, plain: Exchange) =>
      outcomes.tolerates(response, { asWellAs: plain }, EXPECTED, () => undefined, 'z').verdict
    expect(tolerate(status(406), status(200))).toBe('warn')
    expect(tolerate(status(200), status(200))).toBe('pass')
    expect(tolerate(status(406), status(400))).toBe('not-testable')
    expect(tolerate(status(429), status(200))).toBe('not-testable')
  })
})

describe('an observation', () => {
  test.each([200, 301, 400, 401, 404, 405, 415, 422])('reports status %i', (code) => {
    expect(outcomes.observed(status(code))).toEqual({
      verdict: 'observed',
      code: 'observed-response',
      params: { seen: { kind: 'response', actualStatus: code } },
    })
  })

  test('fails only for a breakdown', () => {
    expect(outcomes.observed(status(500)).verdict).toBe('fail')
    expect(outcomes.observed(broken('reset')).verdict).toBe('fail')
    expect(outcomes.observed(broken('timeout')).verdict).toBe('fail')
    expect(outcomes.observed(broken('budget')).verdict).toBe('not-testable')
    expect(outcomes.observed(status(429)).verdict).toBe('not-testable')
  })
})
