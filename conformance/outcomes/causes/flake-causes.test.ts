import { expect, test } from 'vitest'
import type { Operation } from '../../../contract/facts.ts'
import type { CheckFinding } from './finding.ts'
import { createFinding, summarizeCauses } from './testing/findings.ts'

function wrongStatus(operation: Operation, expected: number, actualStatus: number): CheckFinding {
  return createFinding(operation, {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus },
    expected: { status: [expected] },
  })
}

/** Creates a finding of flakes: this number of 503s, and of 502s. */
function flakesOf(with503: number, with502 = 0): CheckFinding {
  const endpoint = 'GET /v1/models'
  const flakes = with503 + with502
  return createFinding('chat', {
    verdict: 'fail',
    code: 'requests-flaked',
    params: {
      flakes,
      incidents: flakes,
      requests: 400,
      by: [
        { endpoint, actualStatus: 503, requests: with503 },
        { endpoint, actualStatus: 502, requests: with502 },
      ].filter(({ requests }) => requests > 0),
      first: { endpoint, actualStatus: 503, sentAt: 'now', repeatStatus: 200, repeatedAfterMs: 1 },
    },
    expected: { maxFlakesPercent: 2 },
  })
}

test('explains breakdowns by frequent flakes with the same status, and not by rare ones', () => {
  const limited = [wrongStatus('chat', 400, 503), wrongStatus('images', 401, 503), wrongStatus('chat', 404, 500)]
  expect(summarizeCauses([flakesOf(60), ...limited])).toEqual([
    expect.stringMatching(/^60 requests break down once and [^]*503 instead of 429[^]*: 3$/),
    expect.stringContaining('500 instead of'),
  ])
  // By chance, some of many requests break down twice, but 3 % of 503s are too few for a rate limit.
  expect(summarizeCauses([flakesOf(12), ...limited])).toEqual([
    expect.stringMatching(
      /^12 requests break down once and succeed when they are repeated, but 1\/check-\d+ and 1\/check-\d+ fail because a request broke down again when it was repeated; the first: [^]*: 3$/,
    ),
    expect.stringContaining('500 instead of'),
  ])
  expect(summarizeCauses([flakesOf(7), ...limited])).toHaveLength(4)
})

test('does not explain more failures by flakes than there are flakes', () => {
  const rejected = Array.from({ length: 14 }, () => wrongStatus('chat', 400, 503))
  expect(summarizeCauses([flakesOf(14), ...rejected])).toHaveLength(1)
  expect(summarizeCauses([flakesOf(13), ...rejected])).toEqual([
    expect.stringMatching(/503 instead of 400[^]*: 14$/),
    expect.stringMatching(/^13 requests break down once [^]*: 1$/),
  ])
})

test('explains control requests that were not served by frequent flakes with the same status', () => {
  const untested = (actualStatus: number): CheckFinding =>
    createFinding('speech', { verdict: 'not-testable', code: 'control-request-not-served', params: { actualStatus } })
  const [flakes, other] = summarizeCauses([flakesOf(60), untested(503), untested(404)])
  expect(flakes).toMatch(/^60 requests break down once and [^]*: 2$/)
  expect(other).toContain('404')
})

test('names a rate limit as a possible reason if nearly all flakes are 503s', () => {
  const hint = 'a rate limit that returns 503 instead of 429 has this effect'
  expect(summarizeCauses([flakesOf(58, 2)])).toEqual([expect.stringContaining(hint)])
  expect(summarizeCauses([flakesOf(40, 20)])).toEqual([expect.not.stringContaining(hint)])
})
