import { expect, test } from 'vitest'
import { findCauses } from './find-causes.ts'
import type { CheckFinding } from './finding.ts'
import { createFinding, createServedFinding, summarizeCauses } from './testing/findings.ts'

// Each test states that findings of one deviation share a cause, although their codes differ.

const STREAM_TYPE = { mediaType: 'text/event-stream' } as const

/** Creates evidence whose response is a stream with this data and media type. */
function streamEvidence(data: string, mediaType: string) {
  const request = { method: 'POST', url: 'http://x/v1/chat/completions', headers: {}, body: '' }
  const headers = { 'content-type': mediaType }
  const response = { status: 200, headers, body: `data: ${data}\n\n`, events: [{ atMs: 1, data }] }
  return [{ startedAtMs: 0, request, response, truncated: false }]
}

test('gives streams with a wrong media type one cause, even where it prevents a check', () => {
  const evidence = streamEvidence('{}', 'text/plain')
  const label = createFinding(
    'chat',
    {
      verdict: 'fail',
      code: 'unexpected-media-type',
      params: { actualMediaType: 'text/plain' },
      expected: STREAM_TYPE,
    },
    { evidence },
  )
  const blocked = createFinding(
    'chat',
    { verdict: 'not-testable', code: 'plain-stream-is-none', params: { actualMediaType: 'text/plain' } },
    { evidence },
  )
  expect(summarizeCauses([createServedFinding('chat'), label, blocked])).toEqual([
    'Streams have the media type `text/plain` instead of `text/event-stream`: 2',
  ])
})

test('gives a check of every stream the cause of a wrong media type if plain streams have it too', () => {
  const params = { actualMediaType: 'text/plain' } as const
  const evidence = streamEvidence('{}', 'text/plain').map((one) => ({
    ...one,
    request: { ...one.request, body: '{"stream":true}' },
  }))
  const code = 'unexpected-media-type'
  const label = createFinding('chat', { verdict: 'fail', code, params, expected: STREAM_TYPE }, { evidence })
  const every = createFinding(
    'chat',
    { verdict: 'not-testable', code: 'plain-response-deviates', params: { deviation: { code, params } } },
    { evidence },
  )
  expect(summarizeCauses([createServedFinding('chat'), label, every])).toEqual([
    'Streams have the media type `text/plain` instead of `text/event-stream`: 2',
  ])
})

test('gives missing fields of completions one cause, even where a check needs the field', () => {
  const missing = ['created', 'choices[0].index', 'usage'].map((path) =>
    createFinding('chat', { verdict: 'fail', code: 'missing-field', params: { path }, expected: { rule: 'usage' } }),
  )
  const blocked = (['usage', 'completion-id'] as const).map((evidence) =>
    createFinding('chat', { verdict: 'not-testable', code: 'no-evidence', params: { missing: evidence } }),
  )
  expect(summarizeCauses([createServedFinding('chat'), ...missing, ...blocked])).toEqual([
    'Chat completions lack `created`, `choices[].index` and `usage`: 5',
  ])
})

test('gives wrong sums of usage one cause, even where they prevent a check', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 12, total_tokens: 30 }
  const deviation = { code: 'wrong-value', params: { path: 'usage', actual: usage } } as const
  const wrong = createFinding('chat', { verdict: 'warn', ...deviation, expected: { rule: 'usage-adds-up' } })
  const blocked = createFinding('chat', {
    verdict: 'not-testable',
    code: 'plain-response-deviates',
    params: { deviation },
  })
  expect(summarizeCauses([createServedFinding('chat'), wrong, blocked])).toEqual([
    '`total_tokens` of chat completions is not the sum of `prompt_tokens` and `completion_tokens`: 2',
  ])
})

test('names errors that are events of a stream', () => {
  const data = JSON.stringify({ choices: [], error: { message: 'no such model' } })
  const unknown = createFinding(
    'chat',
    {
      verdict: 'fail',
      code: 'unexpected-status',
      params: { actualStatus: 200 },
      expected: { status: [404] },
      difference: { parameter: 'model', value: 'nope' },
    },
    { evidence: streamEvidence(data, 'text/event-stream') },
  )
  expect(summarizeCauses([createServedFinding('chat'), unknown])).toEqual([
    'Stream errors are events in a response with status 200 instead of an error status: 1',
  ])
})

test('names the address of image URLs as the cause if their path is as specified', () => {
  const elsewhere = (actual: string): CheckFinding =>
    createFinding('images', {
      verdict: 'fail',
      code: 'wrong-value',
      params: { path: 'data[0].url', actual },
      expected: { rule: 'image-url-address' },
    })
  expect(summarizeCauses([elsewhere('http://127.0.0.1/v1/images/1.png')])).toEqual([
    'Image URLs begin with an address other than {base_url} (a gateway that does not forward the Host header has this effect): 1',
  ])
  expect(summarizeCauses([elsewhere('http://127.0.0.1/files/1.png')])).toEqual([
    'Image URLs lie outside {base_url}/v1/images/: 1',
  ])
})

test('repeats a request in the command for frequent flakes, and quotes the sentence about flakes first', () => {
  const flakesOf = (flakes: number): CheckFinding =>
    createFinding('chat', {
      verdict: 'fail',
      code: 'requests-flaked',
      params: {
        flakes,
        incidents: flakes,
        requests: 400,
        by: [{ endpoint: 'GET /v1/models', actualStatus: 503, requests: flakes }],
        first: {
          endpoint: 'GET /v1/models',
          actualStatus: 503,
          sentAt: 'now',
          repeatStatus: 200,
          repeatedAfterMs: 1,
        },
      },
      expected: { maxFlakesPercent: 2 },
    })
  const limited = createFinding(
    'chat',
    { verdict: 'fail', code: 'unexpected-status', params: { actualStatus: 503 }, expected: { status: [400] } },
    { reproduce: "curl -sS -i 'http://x/v1/models'" },
  )
  const [frequent] = findCauses([limited, flakesOf(60)])
  expect(frequent?.reproduce).toBe(
    "for i in $(seq 30); do curl -sS -i 'http://x/v1/models' -o /dev/null -w '%{http_code}\\n'; done",
  )
  expect(frequent?.checks.at(-1)).toBe(limited.entry.id)
  const [rare] = findCauses([limited, flakesOf(10)])
  expect(rare).not.toHaveProperty('reproduce')
})

const INVALID = {
  key: { status: 401, difference: { credential: 'unknown-key' } },
  credits: { status: 402, difference: { account: 'no-credits' } },
  file: { status: 400, difference: { parameter: 'file', omitted: true } },
} as const

/** Creates a finding about a served invalid request. The IDs are those of the control request and of this request. */
function servedWithIds(kind: keyof typeof INVALID, ids: readonly string[]): CheckFinding {
  const { status, difference } = INVALID[kind]
  const request = { method: 'POST', url: 'http://x/v1/audio/transcriptions', headers: {}, body: '' }
  const evidence = ids.map((id, startedAtMs) => {
    const response = { status: 200, headers: { 'x-request-id': id }, body: '{"text":"one"}' }
    return { startedAtMs, request, response, truncated: false }
  })
  const params = { actualStatus: 200 }
  const outcome = {
    verdict: 'fail',
    code: 'unexpected-status',
    params,
    expected: { status: [status] },
    difference,
  } as const
  return createFinding('transcriptions', outcome, { evidence })
}

test('attributes served invalid requests to a cache if their responses repeat request IDs', () => {
  const stored = (['key', 'key', 'credits', 'file'] as const).map((kind, n) => servedWithIds(kind, [`r${n}`, `r${n}`]))
  expect(summarizeCauses(stored)).toEqual([
    'A cache returns stored responses to other requests (with the same x-request-id), because it ignores the key of a request and parts of its body: 4',
  ])
  expect(summarizeCauses([servedWithIds('key', ['a', 'b']), servedWithIds('key', ['c', 'd'])])).toEqual([
    'The target accepts any key, even an unknown one: 2',
  ])
  // Some targets send one ID with every response.
  expect(summarizeCauses([servedWithIds('key', ['a', 'a']), servedWithIds('key', ['a', 'a'])])).toEqual([
    'The target accepts any key, even an unknown one: 2',
  ])
})

test('gives a rejected role one cause, with and without streaming', () => {
  const expected = { status: ['2xx'] } as const
  const responses = ['system, user', 'system'].map((form) => ({ form, actualStatus: 400 }))
  const servedWith = { variant: 'without the system message' } as const
  const stream = (model: string) =>
    createFinding('chat', {
      verdict: 'fail',
      code: 'served-only-otherwise',
      params: { actualStatus: 400, servedWith },
      expected,
      difference: { parameter: 'model', value: model },
    })
  const plain = createFinding('chat', {
    verdict: 'fail',
    code: 'rejected-in-all-forms',
    params: { responses },
    expected,
  })
  expect(summarizeCauses([createServedFinding('chat'), plain, stream('o3-mini')])).toEqual([
    'Messages with the role `system` get 400: 2',
  ])
  expect(summarizeCauses([createServedFinding('chat'), stream('o3-mini')])).toEqual([
    'Messages with the role `system` get 400 from the model `o3-mini`: 1',
  ])
})

test('names whitespace in an image URL, not a Host header that a gateway does not forward', () => {
  const actual = 'http://x/v1/images/a b.png'
  const finding = createFinding('images', {
    verdict: 'fail',
    code: 'wrong-value',
    params: { path: 'data[0].url', actual },
    expected: { rule: 'image-url-address' },
  })
  const [cause] = findCauses([finding])
  expect(cause?.title).toBe('Image URLs contain whitespace, so they are not valid URLs')
  expect(cause?.remedy).toBeUndefined()
})
