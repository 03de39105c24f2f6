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

test('explains breakdowns by frequent flakes with the same status, and not by rare ones', () => {
  const flakesOf = (flakes: number): CheckFinding =>
    createFinding('chat', {
      verdict: 'fail',
      code: 'requests-flaked',
      params: {
        flakes,
        incidents: flakes,
        requests: 400,
        by: [{ endpoint: 'GET /v1/models', actualStatus: 503, requests: flakes }],
        first: { endpoint: 'GET /v1/models', actualStatus: 503, sentAt: 'now', repeatStatus: 200, repeatedAfterMs: 1 },
      },
      expected: { maxFlakesPercent: 2 },
    })
  const limited = [wrongStatus('chat', 400, 503), wrongStatus('images', 401, 503), wrongStatus('chat', 404, 500)]
  expect(summarizeCauses([flakesOf(60), ...limited])).toEqual([
    expect.stringMatching(/^60 requests break down once and [^]*503 instead of 429[^]*: 3$/),
    expect.stringContaining('500 instead of'),
  ])
  expect(summarizeCauses([flakesOf(12), ...limited])).toHaveLength(4)
})
