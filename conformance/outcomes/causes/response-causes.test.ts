import { expect, test } from 'vitest'
import { createScriptedExchange } from '../../checks/scripted-context.ts'
import type { CheckFinding } from './finding.ts'
import { createFinding, createServedFinding, summarizeCauses } from './testing/findings.ts'

const TRUNCATED_ENDS: readonly CheckFinding[] = (['no-finish-reason', 'no-done'] as const).map((problem) =>
  createFinding('chat', { verdict: 'warn', code: 'stream-malformed', params: { problem } }),
)

test('attributes streams without an end to one cause if the target truncates some of its streams', () => {
  const end = { finishReason: false, done: false }
  const parallel = createFinding('chat', {
    verdict: 'warn',
    code: 'stream-cut',
    params: { end, singleEnd: { finishReason: true, done: true } },
  })
  const truncated = createFinding('chat', {
    verdict: 'warn',
    code: 'streams-without-end',
    params: { streams: 2, complete: 20, events: [3, 4] },
  })
  const unrecognized = createFinding('chat', {
    verdict: 'not-testable',
    code: 'no-evidence',
    params: { missing: 'recognizable-end' },
  })
  expect(summarizeCauses([...TRUNCATED_ENDS, parallel, truncated, unrecognized])).toEqual([
    'Some streams stop before their end, without an error that clients can see: 5',
  ])
  expect(summarizeCauses(TRUNCATED_ENDS)).toEqual([
    'Streams end without a finish_reason: 1',
    'Streams end without [DONE]: 1',
  ])
})

test('attributes image files that are missing to URLs outside the base address', () => {
  const missing = createFinding('images', {
    verdict: 'warn',
    code: 'unexpected-status',
    params: { actualStatus: 404 },
    expected: { status: ['2xx'] },
    exchange: createScriptedExchange({ status: 404 }, { method: 'GET', path: '/images/1.png', headers: {} }),
  })
  const unread = createFinding('images', {
    verdict: 'not-testable',
    code: 'image-not-served',
    params: { actualStatus: 404 },
  })
  const elsewhere = createFinding('images', {
    verdict: 'fail',
    code: 'wrong-value',
    params: { path: 'data[0].url', actual: 'http://127.0.0.1:1/images/1.png' },
    expected: { rule: 'image-url-address' },
  })
  const served = createServedFinding('images')
  expect(summarizeCauses([missing, unread, served])).toEqual(['The URL of an image does not lead to an image: 2'])
  expect(summarizeCauses([missing, unread, elsewhere, served])).toEqual([
    'Image URLs lie outside {base_url}/v1/images/: 3',
  ])
})

test('does not take a 429 for another key at the end of the evidence for an error with status 200', () => {
  const request = { method: 'POST', url: 'http://x/v1/audio/speech', headers: {}, body: '' }
  const served = { status: 200, headers: {}, body: '(8340 bytes, not text)' }
  const limited = { status: 429, headers: {}, body: '{"error":{"message":"slow down"}}' }
  const evidence = [served, limited].map((response) => ({ startedAtMs: 0, request, response, truncated: false }))
  const finding = createFinding(
    'speech',
    {
      verdict: 'fail',
      code: 'unexpected-status',
      params: { actualStatus: 200 },
      expected: { status: [402] },
      difference: { account: 'no-credits' },
    },
    { evidence },
  )
  expect(summarizeCauses([finding])).toEqual([
    'Credits are not enforced: requests of an account without credits are served instead of getting 402: 1',
  ])
})
