import { expect, test } from 'vitest'
import { describePolicyChange, listPolicies } from './policies.ts'
import { createCheckEntry } from './testing/sample-document.ts'

const policy = (value: unknown, changes = {}) =>
  createCheckEntry('gateway/x', 'observed', { level: 'unspecified', actual: 'as observed', value, ...changes })

const summarize = (value: unknown): string | undefined => listPolicies({ checks: [policy(value)] })[0]?.summary

test.each([
  [{ 400: 400, '400 (stream)': 400, 500: 500, 529: 503 }, 'same status as the upstream, but 529: 503'],
  [{ 400: 400, 500: 500, lost: 'connection closed' }, 'same status as the upstream, but lost: connection closed'],
  [{ 400: 1, 429: 1, 500: 3, 503: 3, 504: 1, 529: 1 }, '1 in each case, but 500, 503: 3'],
  [{ 400: 1, 429: 1 }, '1 in each case'],
  [{ 400: 200, 500: 200, 502: 502 }, '200 in each case, but 502: 502'],
  [{ comments: 'dropped', ids: 'dropped', events: 'merged' }, 'dropped, but events: merged'],
  [{ streams: 'forwarded', others: 'dropped' }, 'streams: forwarded; others: dropped'],
  [{ 'cool-down': 'none' }, 'none'],
  [{ a: null, b: { rejected: 400 } }, 'a: null; b: {"rejected":400}'],
  [undefined, 'as observed'],
])('summarizes %j as the most frequent behaviour and its exceptions', (value, summary) => {
  expect(summarize(value)).toBe(summary)
})

test('lists policies that contradict their declaration, and reads the cases from the parameters of a finding', () => {
  const failed = policy(undefined, { verdict: 'fail', params: { seen: { kind: 'policy', cases: { 500: 3 } } } })
  const gap = policy(undefined, { verdict: 'not-testable' })
  const integrity = createCheckEntry('gateway/text', 'pass', { value: { a: 1 } })
  expect(listPolicies({ checks: [failed, gap, integrity] })).toMatchObject([{ check: failed, cases: [['500', '3']] }])
})

test('describes only the cases of a policy that changed', () => {
  const change = describePolicyChange(policy({ 400: 1, 500: 1, 502: 1 }), policy({ 400: 1, 500: 3, 529: 3 }))
  expect(change).toEqual({ before: '500, 502: 1; 529: not tested', after: '500, 529: 3; 502: not tested' })
})

test('summarizes a policy that changed in many cases', () => {
  const statuses = [400, 401, 403, 404, 429, 500, 502, 503]
  const map = (status: (upstream: number) => number) =>
    policy(Object.fromEntries(statuses.map((upstream) => [upstream, status(upstream)])))
  expect(
    describePolicyChange(
      map(Number),
      map(() => 500),
    ),
  ).toEqual({
    before: 'same status as the upstream',
    after: '500 in each case',
  })
})
