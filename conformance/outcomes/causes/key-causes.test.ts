import { expect, test } from 'vitest'
import type { Outcome } from '../outcome.ts'
import { createFinding, createServedFinding, summarizeCauses } from './testing/findings.ts'

const NOT_SERVED: Outcome = {
  verdict: 'not-testable',
  code: 'request-not-served',
  params: { actualStatus: 401 },
}

function rejected(expectedStatus: number): Outcome {
  return {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus: 401 },
    expected: { status: [expectedStatus] },
    difference: { parameter: `p${expectedStatus}`, omitted: true },
  }
}

test('attributes every unexpected 401 to a key that the target sometimes rejects', () => {
  const findings = [
    createServedFinding('chat'),
    createFinding('chat', NOT_SERVED),
    createFinding('chat', rejected(400)),
    createFinding('chat', { ...rejected(402), difference: { account: 'no-credits' } }),
    createFinding('speech', rejected(404)),
  ]
  expect(summarizeCauses(findings)).toEqual([
    'Some requests with a valid key get 401, and others are served (a replica without the key has this effect): 4',
  ])
})

test('does not blame the key if the target rejects no valid request', () => {
  const findings = [
    createServedFinding('chat'),
    createFinding('chat', rejected(400)),
    createFinding('chat', rejected(400)),
  ]
  expect(summarizeCauses(findings).join()).not.toContain('Some requests with a valid key')
})

test('names the model if the target rejects the key only in requests for this model', () => {
  const difference = { responses: 2, of: 40, model: 'o3-mini' } as const
  const everywhere: Outcome = {
    ...NOT_SERVED,
    verdict: 'fail',
    code: 'unexpected-status',
    expected: { status: ['2xx'] },
  }
  const requestFor = (model: string) => {
    const request = {
      method: 'POST',
      url: 'http://x/v1/chat/completions',
      headers: {},
      body: JSON.stringify({ model }),
    }
    const response = { status: 401, headers: {}, body: '{}' }
    return { evidence: [{ startedAtMs: 0, request, response, truncated: false }] }
  }
  const summarize = (model: string) =>
    summarizeCauses([
      createServedFinding('chat'),
      createFinding('chat', { ...everywhere, difference }),
      createFinding('chat', NOT_SERVED, requestFor(model)),
    ])
  expect(summarize('o3-mini')).toEqual(['Requests with a valid key for the model `o3-mini` get 401: 2'])
  expect(summarize('vendorc-4o')).toEqual([
    'Some requests with a valid key get 401, and others are served (a replica without the key has this effect): 2',
  ])
})
