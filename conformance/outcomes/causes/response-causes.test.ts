import { expect, test } from 'vitest'
import { createScriptedExchange } from '../../sections/shared/scripted-context.ts'
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

test('names the content of responses without a result', () => {
  const without = (body: string): CheckFinding =>
    createFinding(
      'chat',
      { verdict: 'not-testable', code: 'request-not-served', params: { actualStatus: 200 } },
      { body },
    )
  const place = 'Responses of `POST /v1/chat/completions` have a 2xx status and'
  expect(summarizeCauses([without('{"id":"a"'), without('{"id":"a"')])).toEqual([
    `${place} a body that is not valid JSON: 2`,
  ])
  expect(summarizeCauses([without('{"error":{}}'), without('{"error":{}}')])).toEqual([
    `${place} an error in the body: 2`,
  ])
  expect(summarizeCauses([without('{}'), without('{"error":{}}')])).toEqual([`${place} no result: 2`])
})

test('attributes unrequested streams to one cause', () => {
  const field = (path: string, stream?: true): CheckFinding => {
    const finding = createFinding('chat', {
      verdict: 'fail',
      code: 'missing-field',
      params: { path },
      expected: { rule: 'usage' },
    })
    const evidence = (finding.entry.evidence ?? []).map((entry) => ({
      ...entry,
      request: { ...entry.request, body: JSON.stringify({ stream }) },
      response: entry.response && { ...entry.response, events: [{ atMs: 1, data: '{}' }] },
    }))
    return { ...finding, entry: { ...finding.entry, evidence } }
  }
  expect(summarizeCauses([field('id'), field('usage'), field('model')])).toEqual([
    'Requests without `stream: true` get a stream instead of JSON: 3',
  ])
  expect(summarizeCauses([field('id', true)])).toEqual(['Stream chunks lack `id`: 1'])
})

test('names the model if only its completions lack a field', () => {
  const lacking = (model?: string): CheckFinding =>
    createFinding('chat', {
      verdict: 'fail',
      code: 'missing-field',
      params: { path: 'usage' },
      expected: { rule: 'completion-object' },
      difference: { responses: 1, of: 2, ...(model === undefined ? {} : { model }) },
    })
  expect(summarizeCauses([lacking('o3-mini')])).toEqual(['Chat completions of `o3-mini` lack `usage`: 1'])
  expect(summarizeCauses([lacking('o3-mini'), lacking()])).toEqual(['Chat completions lack `usage`: 2'])
})

test('attributes image URLs that are null, missing or not in an object to one cause', () => {
  const wrong = (path: string, code: 'wrong-type' | 'missing-field'): CheckFinding =>
    createFinding('images', {
      verdict: 'fail',
      ...(code === 'missing-field'
        ? { code, params: { path } }
        : { code, params: { path, actualType: 'null', actual: null } }),
      expected: { rule: 'image-url-address' },
    })
  expect(
    summarizeCauses([
      wrong('data[0]', 'wrong-type'),
      wrong('data[0].url', 'wrong-type'),
      wrong('data[1].url', 'missing-field'),
    ]),
  ).toEqual(['Image results have no `url`: 3'])
})

test('distinguishes image URLs without an extension from those outside the base address', () => {
  const wrong = (lacks?: 'extension'): CheckFinding =>
    createFinding('images', {
      verdict: 'fail',
      code: 'wrong-value',
      params: { path: 'data[0].url', actual: 'http://x/a', ...(lacks === undefined ? {} : { lacks }) },
      expected: { rule: 'image-result' },
    })
  expect(summarizeCauses([wrong('extension')])).toEqual(['Image URLs do not end in an image file extension: 1'])
  expect(summarizeCauses([wrong()])).toEqual(['Image URLs lie outside {base_url}/v1/images/: 1'])
})

test('attributes a misspelled [DONE] to the missing [DONE], and names the media type of streams', () => {
  const malformed = (params: { problem: 'no-done' } | { problem: 'not-json'; actual: string }): CheckFinding =>
    createFinding('chat', { verdict: 'warn', code: 'stream-malformed', params })
  expect(
    summarizeCauses([malformed({ problem: 'not-json', actual: '[done]' }), malformed({ problem: 'no-done' })]),
  ).toEqual(['Streams end without [DONE]: 2'])
  const label = createFinding(
    'chat',
    {
      verdict: 'fail',
      code: 'unexpected-media-type',
      params: { actualMediaType: 'text/plain' },
      expected: { mediaType: 'text/event-stream' },
    },
    { body: 'data: a' },
  )
  const events = [{ atMs: 1, data: 'a' }]
  const evidence = (label.entry.evidence ?? []).map((one) => ({
    ...one,
    request: { ...one.request, body: '{"stream":true}' },
    response: one.response && { ...one.response, events },
  }))
  const other = createFinding('chat', {
    verdict: 'not-testable',
    code: 'plain-stream-is-none',
    params: { actualMediaType: 'text/plain' },
  })
  expect(summarizeCauses([label, other].map((one) => ({ ...one, entry: { ...one.entry, evidence } })))).toEqual([
    'Streams have the media type `text/plain` instead of `text/event-stream`: 2',
  ])
})

/** Sets the last request and response of a finding. */
function withExchange(
  finding: CheckFinding,
  requestBody: object,
  response: { body?: string; events?: string[]; mediaType?: string },
): CheckFinding {
  const evidence = (finding.entry.evidence ?? []).map((one) => ({
    ...one,
    request: { ...one.request, body: JSON.stringify(requestBody) },
    response: {
      status: 200,
      headers: { 'content-type': response.mediaType ?? 'application/json' },
      body: response.body ?? '',
      ...(response.events === undefined ? {} : { events: response.events.map((data) => ({ atMs: 1, data })) }),
    },
  }))
  return { ...finding, entry: { ...finding.entry, evidence } }
}

const WITHOUT_RESULT: readonly CheckFinding[] = [1, 2, 3, 4].map(() =>
  createFinding('chat', { verdict: 'not-testable', code: 'request-not-served', params: { actualStatus: 200 } }),
)

test('does not attribute a wrong field to responses without a result if its own response has one', () => {
  const usage = createFinding(
    'chat',
    {
      verdict: 'fail',
      code: 'wrong-type',
      params: { path: 'usage', actualType: 'null', actual: null },
      expected: { rule: 'usage' },
    },
    { body: '{"choices":[],"usage":null}' },
  )
  expect(summarizeCauses([...WITHOUT_RESULT, usage])).toEqual([
    'Chat completions have a wrong `usage`: 1',
    'Responses of `POST /v1/chat/completions` have a 2xx status and no result: 4',
  ])
})

test('does not attribute an invalid request that gets a result to responses without a result', () => {
  const invalid = (body: string): CheckFinding =>
    createFinding(
      'chat',
      { verdict: 'fail', code: 'unexpected-status', params: { actualStatus: 200 }, expected: { status: [400] } },
      { body },
    )
  const noResult = 'Responses of `POST /v1/chat/completions` have a 2xx status and no result'
  const causes = summarizeCauses([...WITHOUT_RESULT, ...[1, 2].map(() => invalid('{"choices":[]}'))])
  expect(causes).toEqual(['Invalid requests are served (200) instead of getting 400: 2', `${noResult}: 4`])
  expect(summarizeCauses([...WITHOUT_RESULT, ...[1, 2].map(() => invalid('{}'))])).toEqual([`${noResult}: 6`])
})

test('names the media type of streams that lack events because of it', () => {
  const lines = WITHOUT_RESULT.map((one) =>
    withExchange(one, { stream: true }, { body: '{"choices":[]}', mediaType: 'application/x-ndjson' }),
  )
  expect(summarizeCauses(lines)).toEqual(['Streams are not server-sent events but `application/x-ndjson`: 4'])
  const labelled = WITHOUT_RESULT.map((one) => withExchange(one, { stream: true }, { body: 'data: {"choices":[]}' }))
  const malformed = (['no-events', 'no-choices'] as const).map((problem) =>
    withExchange(
      createFinding('chat', { verdict: 'warn', code: 'stream-malformed', params: { problem } }),
      { stream: true },
      { body: 'data: {"choices":[]}' },
    ),
  )
  expect(summarizeCauses([...labelled, ...malformed])).toEqual([
    'Streams have the media type `application/json` instead of `text/event-stream`: 6',
  ])
})

test('reports responses without a result for each operation', () => {
  const transcription = createFinding('transcriptions', {
    verdict: 'not-testable',
    code: 'request-not-served',
    params: { actualStatus: 200 },
  })
  expect(summarizeCauses([...WITHOUT_RESULT, transcription])).toEqual([
    'Responses of `POST /v1/chat/completions` have a 2xx status and no result: 4',
    'Responses of `POST /v1/audio/transcriptions` have a 2xx status and no `text`: 1',
  ])
})

test('does not attribute missing images to the address of their URLs', () => {
  const missing = createFinding('images', {
    verdict: 'fail',
    code: 'wrong-count',
    params: { path: 'data', actualCount: 0 },
    expected: { rule: 'image-url-address' },
  })
  expect(summarizeCauses([missing])).toEqual(['Image results have a wrong `data`: 1'])
})

test('attributes spending beyond the balance to credits or charges that the target does not enforce', () => {
  const params = { served: 16, requests: 16, credits: 10, balance: 2.5 }
  const spending = createFinding('chat', {
    verdict: 'fail',
    code: 'balance-exceeded',
    params,
    expected: { rule: 'within-balance' },
  })
  const charge = (id: string): CheckFinding =>
    createFinding(
      'chat',
      { verdict: 'fail', code: 'wrong-charge', params: { bills: [] }, expected: { rule: 'usage' } },
      { id },
    )
  expect(summarizeCauses([spending])).toEqual(['Parallel chats spend more credits than the account has: 1'])
  expect(summarizeCauses([spending, charge('2.1/price-a'), charge('2.1/price-b')])).toEqual([
    'Chats are not charged at the price of the table: 3',
  ])
  expect(summarizeCauses([charge('2.1/price-o3-mini')])).toEqual([
    'Chats with `o3-mini` are not charged at the price of the table: 1',
  ])
  expect(summarizeCauses([charge('8/stream-price')])).toEqual(['Streams are not charged at the price of the table: 1'])
  const free = createFinding('chat', {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus: 200 },
    expected: { status: [402] },
    difference: { account: 'no-credits' },
  })
  expect(summarizeCauses([spending, free, free])).toEqual([expect.stringMatching(/^Credits are not enforced.*: 3$/)])
})

test('names the streams if only their errors deviate, and finds errors in their events', () => {
  const free = createFinding('chat', {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus: 200 },
    expected: { status: [402] },
    difference: { account: 'no-credits' },
  })
  expect(summarizeCauses([withExchange(free, { stream: true }, { events: ['{"choices":[]}'] })])).toEqual([
    expect.stringMatching(/with `stream: true`: 1$/),
  ])
  expect(
    summarizeCauses([withExchange(free, { stream: true }, { events: ['{"error":{"message":"no credits"}}'] })]),
  ).toEqual(['Stream errors are events in a response with status 200 instead of an error status: 1'])
  const inBody = [true, 'true', [true]].map((stream) =>
    withExchange(free, { stream }, { body: '{"error":{"message":"no credits"}}' }),
  )
  expect(summarizeCauses(inBody)).toEqual([
    'Error responses on `POST /v1/chat/completions` with `stream: true` have status 200 instead of an error status: 3',
  ])
})
