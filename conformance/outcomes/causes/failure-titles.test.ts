import { expect, test } from 'vitest'
import type { ExchangeError } from '../../http/exchange.ts'
import { formatLibraryOption } from '../../options/option-names.ts'
import { describeRunObstacle } from '../run-obstacle.ts'
import { findCauses } from './find-causes.ts'
import type { CheckFinding } from './finding.ts'
import { createFinding, createServedFinding, summarizeCauses } from './testing/findings.ts'

const closed = { actualStatus: 0, error: 'closed-early' } as const
const temperature = { parameter: 'temperature', value: 3 } as const

function invalid(actualStatus: number, error?: ExchangeError, reproduce = 'curl'): CheckFinding {
  const finding =
    error === undefined
      ? ({ code: 'unexpected-status', params: { actualStatus } } as const)
      : ({ code: 'no-response', params: { actualStatus, error } } as const)
  const expected = { status: [400] } as const
  return createFinding('chat', { verdict: 'fail', ...finding, expected, difference: temperature }, { reproduce })
}

test('describes in words how responses are incomplete', () => {
  expect(summarizeCauses([invalid(0, 'closed-early'), invalid(0, 'closed-early')])).toEqual([
    'Validation errors get a closed connection without a response instead of 400: 2',
  ])
  expect(summarizeCauses([invalid(404, 'reset')])).toEqual([
    'A request to `POST /v1/chat/completions` with temperature 3 gets a truncated response instead of 400: 1',
  ])
  const others = ['images', 'speech', 'transcriptions', 'models'].flatMap((operation) =>
    ['a', 'b'].map(() =>
      createFinding(operation as 'images', {
        verdict: 'fail',
        code: 'wrong-value',
        params: { path: operation, actual: 1 },
        expected: { rule: 'usage' },
      }),
    ),
  )
  const mixed = Array.from({ length: 13 }, (_, index) => (index < 8 ? invalid(200) : invalid(0, 'closed-early')))
  expect(summarizeCauses([...mixed, ...others])[0]).toBe(
    'Validation errors get 200 (8) or a closed connection without a response (5) instead of 400: 13',
  )
})

test('describes in words how endpoints break down', () => {
  const broken = (params: { actualStatus: number; error?: ExchangeError }): CheckFinding =>
    createFinding('chat', { verdict: 'not-testable', code: 'request-broke-down', params })
  expect(summarizeCauses([broken(closed)])).toEqual([
    '`POST /v1/chat/completions` closes the connection without a response: 1',
  ])
  expect(summarizeCauses([broken({ actualStatus: 503 }), broken({ actualStatus: 0, error: 'malformed' })])).toEqual([
    '`POST /v1/chat/completions` returns 503 or sends a response that is not HTTP: 2',
  ])
  expect(summarizeCauses([createServedFinding('chat'), broken(closed)])[0]).toContain(
    'gets a closed connection without a response',
  )
})

test('describes the responses of a search for a model in words', () => {
  const params = { operation: 'images', models: 2, responses: ['404', 'closed-early'] } as const
  expect(describeRunObstacle({ code: 'no-model-found', params }, formatLibraryOption)).toBe(
    'No model serves images: 2 were tried (responses: 404, a closed connection without a response).',
  )
})

test('shows a request of the most frequent response', () => {
  const others = ['images', 'speech', 'transcriptions', 'models'].flatMap((operation) =>
    Array.from({ length: 5 }, () =>
      createFinding(operation as 'images', {
        verdict: 'fail',
        code: 'wrong-value',
        params: { path: operation, actual: 1 },
        expected: { rule: 'usage' },
      }),
    ),
  )
  const all = [
    ...Array.from({ length: 5 }, () => invalid(0, 'closed-early', 'curl a')),
    ...Array.from({ length: 8 }, () => invalid(200, undefined, 'curl longer')),
  ]
  const [first] = findCauses([...all, ...others])
  expect(first?.title).toMatch(/200 \(8\)/)
  expect(first?.reproduce).toBe('curl longer')
})

test('names the body of a response to HEAD and the byte order mark, whatever the format of the body', () => {
  const warn = (problem: 'present' | 'byte-order-mark') =>
    createFinding('models', { verdict: 'warn', code: 'wrong-body', params: { problem } }, { body: '<html>' })
  expect(summarizeCauses([warn('present'), warn('byte-order-mark')])).toEqual([
    '`HEAD /v1/models` sends a body, but a response to HEAD has none: 1',
    'JSON responses start with a byte order mark: 1',
  ])
})

test('attributes a wrong model of an unlisted model to the unknown models that the target serves', () => {
  const missing = createFinding('models', {
    verdict: 'fail',
    code: 'models-not-listed',
    params: { missing: ['vendora-v4-flash'] },
  })
  const unknown = createFinding('chat', {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus: 200 },
    expected: { status: [404] },
    difference: { parameter: 'model', value: 'no-such-model' },
  })
  const wrongModel = (model: string): CheckFinding =>
    createFinding('chat', {
      verdict: 'fail',
      code: 'wrong-value',
      params: { path: 'model', actual: 'a' },
      expected: { rule: 'completion-object' },
      difference: { responses: 1, of: 1, model },
    })
  const served = createServedFinding('chat')
  expect(summarizeCauses([served, missing, unknown, wrongModel('vendora-v4-flash')])).toContain(
    'Requests with an unknown model are served instead of getting 404: 2',
  )
  const ofListed = summarizeCauses([served, missing, unknown, wrongModel('a')])
  expect(ofListed).toContain('Requests with an unknown model are served instead of getting 404: 1')
  expect(ofListed).toContain('Chat completions of `a` have a wrong `model`: 1')
  expect(summarizeCauses([served, missing, wrongModel('vendora-v4-flash')])).toContain(
    'Chat completions of `vendora-v4-flash` have a wrong `model`: 1',
  )
})

test('names the format of errors in a burst whose last request was served', () => {
  const finding = createFinding(
    'chat',
    {
      verdict: 'warn',
      code: 'unexpected-media-type',
      params: { actualMediaType: 'text/plain' },
      expected: { rule: 'error-body' },
      consequence: 'z',
    },
    { body: 'Too many requests', status: 429 },
  )
  const served = createServedFinding('chat').entry.evidence ?? []
  const evidence = [...(finding.entry.evidence ?? []), ...served]
  expect(summarizeCauses([{ ...finding, entry: { ...finding.entry, evidence } }])).toEqual([
    'Errors are plain text instead of JSON: 1',
  ])
})

test('does not call JSON with the media type text/html HTML', () => {
  const finding = createFinding('chat', {
    verdict: 'warn',
    code: 'unexpected-media-type',
    params: { actualMediaType: 'text/html' },
    expected: { mediaType: 'application/json' },
    consequence: 'z',
  })
  const response = { status: 200, headers: { 'content-type': 'text/html' }, body: '{"object":"chat.completion"}' }
  const evidence = (finding.entry.evidence ?? []).map((exchange) => ({ ...exchange, response }))
  expect(summarizeCauses([{ ...finding, entry: { ...finding.entry, evidence } }])).toEqual([
    'Chat completions have the media type `text/html` instead of `application/json`: 1',
  ])
})
