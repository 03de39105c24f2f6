import { expect, test } from 'vitest'
import type { BreakdownGroup } from '../outcome.ts'
import { finding, served, summary } from './testing/findings.ts'

test('names what breaks down: streams, another method, or some requests', () => {
  const brokenDown = (by: readonly BreakdownGroup[]): string[] =>
    summary([
      served('chat'),
      finding('chat', {
        verdict: 'fail',
        code: 'requests-broke-down',
        params: { broken: 1, requests: 9, by },
        expected: { rule: 'no-breakdown' },
      }),
    ])
  const post = { endpoint: 'POST /v1/chat/completions', actualStatus: 500, requests: 2 }
  const stream = { ...post, stream: true } as const
  expect(brokenDown([stream])).toEqual([
    'Streams break down: `POST /v1/chat/completions` with `stream: true` gets 500: 1',
  ])
  expect(brokenDown([stream, post])).toEqual([
    'Streams break down: `POST /v1/chat/completions` with `stream: true` gets 500, and so do a few other requests: 1',
  ])
  expect(brokenDown([post])).toEqual(['Some requests to `POST /v1/chat/completions` break down: they get 500: 1'])
  expect(brokenDown([{ ...post, endpoint: 'DELETE /v1/chat/completions' }])).toEqual([
    '`DELETE /v1/chat/completions` gets 500: 1',
  ])
})

test('says what a request should show where the specification leaves the response open', () => {
  const one = finding(
    'chat',
    { verdict: 'not-testable', code: 'request-broke-down', params: { actualStatus: 500 } },
    { title: 'whether the cheapest and the most expensive model serve images and audio' },
  )
  expect(summary([served('chat'), one])).toEqual([
    'A valid request gets 500: it should show whether the cheapest and the most expensive model serve images and audio: 1',
  ])
})

test('names a valid request that is served only in another form, with its response', () => {
  const one = finding('chat', {
    verdict: 'fail',
    code: 'served-only-otherwise',
    params: { actualStatus: 400, servedWith: { parameter: 'temperature', omitted: true } },
    expected: { status: ['2xx'] },
    difference: { variant: 'o3-mini with temperature 0' },
  })
  expect(summary([one])).toEqual([
    'Valid requests to `POST /v1/chat/completions` (o3-mini with temperature 0) get 400, and are served only without temperature: 1',
  ])
})
