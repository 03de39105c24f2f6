import { describe, expect, test } from 'vitest'
import { scriptedExchange } from '../checks/scripted-context.ts'
import type { Exchange, ExchangeError } from '../http/exchange.ts'
import * as judge from './expect.ts'

function status(code: number): Exchange {
  return scriptedExchange({ status: code })
}

function broken(kind: ExchangeError, code = 0): Exchange {
  return scriptedExchange({ status: code, error: { kind, message: kind } })
}

const TESTERS_SIDE: readonly ExchangeError[] = ['budget', 'interrupted', 'refused', 'dns', 'tls', 'too-large']
const TARGETS_SIDE: readonly ExchangeError[] = ['reset', 'closed-early', 'malformed']

describe('a refusal', () => {
  const refuse = (answer: Exchange, twin: Exchange) => judge.refusal(answer, 400, { becauseTwinWorks: twin }).verdict

  test('passes with the status asked for, when its twin is served', () => {
    expect(refuse(status(400), status(200))).toBe('pass')
    expect(refuse(status(400), status(201))).toBe('pass')
  })

  test('passes with any of several statuses', () => {
    const outcome = judge.refusal(status(404), [400, 404], { becauseTwinWorks: status(200) })
    expect(outcome).toMatchObject({ verdict: 'pass', expected: ['400', '404'] })
  })

  test.each([200, 204, 302, 401, 403, 404, 422, 500, 503])('fails with %i instead', (code) => {
    expect(refuse(status(code), status(200))).toBe('fail')
  })

  test.each([400, 404])('is not testable where the valid twin is refused with %i too', (code) => {
    expect(refuse(status(400), status(code))).toBe('not-testable')
  })

  test.each([302, 401, 403, 422, 500])(
    'fails where the valid twin is answered %i, which no valid request may be',
    (code) => {
      expect(refuse(status(400), status(code))).toBe('fail')
    },
  )

  test('is not testable where the account is limited or empty, and fails for it where 402 is no such fact', () => {
    expect(refuse(status(429), status(200))).toBe('not-testable')
    expect(refuse(status(402), status(200))).toBe('not-testable')
    expect(refuse(status(400), status(402))).toBe('not-testable')
    expect(judge.refusal(status(402), 402, { becauseTwinWorks: status(200) }).verdict).toBe('pass')
  })

  test.each(TARGETS_SIDE)('fails where the target ends the exchange (%s)', (kind) => {
    expect(refuse(broken(kind), status(200))).toBe('fail')
    expect(refuse(broken(kind, 400), status(200))).toBe('fail')
  })

  test('fails where a mistake is never answered, but not where the twin is not either', () => {
    expect(refuse(broken('timeout'), status(200))).toBe('fail')
    expect(refuse(broken('timeout'), broken('timeout'))).toBe('not-testable')
  })

  test.each(TESTERS_SIDE)('is not testable where the tester’s side is the reason (%s)', (kind) => {
    expect(refuse(broken(kind), status(200))).toBe('not-testable')
    expect(refuse(status(400), broken(kind))).toBe('not-testable')
  })

  test('names the mistake, of several, that was not refused', () => {
    const mistakes = [
      { what: 'a string', answer: status(400) },
      { what: 'an object', answer: status(200) },
    ]
    const outcome = judge.everyRefusal(mistakes, 400, { becauseTwinWorks: status(200) })
    expect(outcome).toMatchObject({ verdict: 'fail', actual: 'an object: answered 200' })
  })
})

describe('a sentence about the answer to a valid request', () => {
  const hold = (answer: Exchange, found?: string) => judge.holds(answer, 'x', () => found)

  test('passes when nothing contradicts it, and fails with what does', () => {
    expect(hold(status(200)).verdict).toBe('pass')
    expect(hold(status(200), 'y is missing')).toMatchObject({
      verdict: 'fail',
      actual: 'y is missing',
      expected: ['x'],
    })
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
  ])('with the answer %i it is %s', (code, verdict) => {
    expect(hold(status(code)).verdict).toBe(verdict)
  })

  test('a late answer is not held against the target: the document states no time', () => {
    expect(hold(broken('timeout')).verdict).toBe('not-testable')
    expect(judge.success(broken('timeout'), 'x').verdict).toBe('not-testable')
  })
})

test('success fails for any answer but 2xx that the tester’s account does not explain', () => {
  const verdicts = [200, 201, 302, 400, 401, 404, 500, 402, 429].map((code) => judge.success(status(code), 'x').verdict)
  expect(verdicts).toEqual(['pass', 'pass', 'fail', 'fail', 'fail', 'fail', 'fail', 'not-testable', 'not-testable'])
})

describe('a convention', () => {
  test('warns with its consequence, and never fails', () => {
    expect(judge.keeps(status(200), 'x', () => 'y', 'z')).toEqual({
      verdict: 'warn',
      expected: ['x'],
      actual: 'y',
      consequence: 'z',
    })
    expect(judge.keeps(status(200), 'x', () => undefined, 'z').verdict).toBe('pass')
    expect(judge.keeps(status(500), 'x', () => 'y', 'z').verdict).toBe('not-testable')
  })

  test('of a client’s request warns only where the plain one is served', () => {
    const tolerate = (answer: Exchange, plain: Exchange) =>
      judge.tolerates(answer, { asWellAs: plain }, 'x', () => undefined, 'z').verdict
    expect(tolerate(status(406), status(200))).toBe('warn')
    expect(tolerate(status(200), status(200))).toBe('pass')
    expect(tolerate(status(406), status(400))).toBe('not-testable')
    expect(tolerate(status(429), status(200))).toBe('not-testable')
  })
})

test('what a target did can follow its name', () => {
  expect([status(404), broken('timeout'), broken('refused'), broken('reset', 200)].map(judge.answered)).toEqual([
    'answered 404',
    'did not answer in time',
    'gave no answer: the exchange ended with an error (refused)',
    'answered 200, then the exchange ended with an error (reset)',
  ])
})

describe('an observation', () => {
  test.each([200, 301, 400, 401, 404, 405, 415, 422])('reports %i', (code) => {
    expect(judge.observed(status(code))).toEqual({ verdict: 'observed', expected: [], actual: `answered ${code}` })
  })

  test('fails for a breakdown only', () => {
    expect(judge.observed(status(500)).verdict).toBe('fail')
    expect(judge.observed(broken('reset')).verdict).toBe('fail')
    expect(judge.observed(broken('timeout')).verdict).toBe('fail')
    expect(judge.observed(broken('budget')).verdict).toBe('not-testable')
    expect(judge.observed(status(429)).verdict).toBe('not-testable')
  })
})
