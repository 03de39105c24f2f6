import { expect, test } from 'vitest'
import { MODELS, OPERATIONS } from '../../../contract/facts.ts'
import { createScriptedExchange } from '../../sections/shared/scripted-context.ts'
import type { CredentialDefect } from '../request-difference.ts'
import type { BreakdownGroup } from '../observed-facts.ts'
import { findCauses } from './find-causes.ts'
import type { CheckFinding } from './finding.ts'
import { createFinding, createServedFinding, summarizeCauses } from './testing/findings.ts'

test('names the requests that break down: streams, requests with another method, or some requests', () => {
  const brokenDown = (by: readonly BreakdownGroup[], ...others: readonly CheckFinding[]): string[] =>
    summarizeCauses([
      createServedFinding('chat'),
      createFinding('chat', {
        verdict: 'fail',
        code: 'requests-broke-down',
        params: { broken: 1, requests: 9, by },
        expected: { rule: 'no-breakdown' },
      }),
      ...others,
    ])
  const post = { endpoint: 'POST /v1/chat/completions', actualStatus: 500, requests: 2 }
  const stream = { ...post, stream: true } as const
  expect(brokenDown([stream])).toEqual([
    'Streams break down: `POST /v1/chat/completions` with `stream: true` gets 500: 1',
  ])
  expect(brokenDown([stream, post])).toEqual([
    'Streams break down: `POST /v1/chat/completions` with `stream: true` gets 500, and so do a few other requests: 1',
  ])
  expect(brokenDown([{ ...post, stream: false }])).toEqual([
    'Non-streaming requests break down: `POST /v1/chat/completions` without `stream: true` gets 500: 1',
  ])
  expect(brokenDown([post])).toEqual(['Some requests to `POST /v1/chat/completions` break down: they get 500: 1'])
  const ofModels = [
    { ...post, model: 'a' },
    { ...stream, model: 'b' },
  ]
  expect(brokenDown(ofModels)).toEqual([
    'Requests for the models `a` and `b` break down: `POST /v1/chat/completions` gets 500: 1',
  ])
  expect(brokenDown(ofModels.slice(1))).toEqual([
    'Streams for the model `b` break down: `POST /v1/chat/completions` gets 500: 1',
  ])
  const burst = createFinding(
    'chat',
    { verdict: 'not-testable', code: 'request-broke-down', params: { actualStatus: 503 } },
    { id: '7/rate-limit-exceeded' },
  )
  expect(brokenDown([{ ...post, actualStatus: 503 }], burst)).toEqual([
    'Some requests to `POST /v1/chat/completions` break down: they get 503 (a rate limit that returns 503 instead of 429 has this effect): 2',
  ])
  expect(brokenDown([{ ...post, endpoint: 'DELETE /v1/chat/completions' }])).toEqual([
    '`DELETE /v1/chat/completions` gets 500: 1',
  ])
})

test('names large bodies that break down, once for all operations', () => {
  const body = new Uint8Array(2 * 1024 * 1024)
  const findings = (['chat', 'transcriptions'] as const).flatMap((operation) => {
    const request = { method: 'POST', path: OPERATIONS[operation].path, headers: {}, body }
    const by = [{ endpoint: `POST ${request.path}`, largeBody: true, actualStatus: 500, requests: 1 } as const]
    return [
      createServedFinding(operation),
      createFinding(operation, {
        verdict: 'not-testable',
        code: 'request-broke-down',
        params: { actualStatus: 500 },
        exchange: createScriptedExchange({ status: 500 }, request),
      }),
      createFinding(operation, {
        verdict: 'fail',
        code: 'requests-broke-down',
        params: { broken: 1, requests: 9, by },
        expected: { rule: 'no-breakdown' },
      }),
    ]
  })
  expect(summarizeCauses(findings)).toEqual([
    'Requests with a body of 2 MB break down: `POST /v1/chat/completions` and `POST /v1/audio/transcriptions` get 500: 4',
  ])
})

test('names the purpose of an unspecified request', () => {
  const one = createFinding(
    'chat',
    { verdict: 'not-testable', code: 'request-broke-down', params: { actualStatus: 500 } },
    { title: 'whether the cheapest and the most expensive model serve images and audio' },
  )
  expect(summarizeCauses([createServedFinding('chat'), one])).toEqual([
    'A request gets 500, so the suite cannot observe whether the cheapest and the most expensive model serve images and audio: 1',
  ])
})

test('names a valid request that the target serves only in another form, with its response', () => {
  const one = createFinding('chat', {
    verdict: 'fail',
    code: 'served-only-otherwise',
    params: { actualStatus: 400, servedWith: { parameter: 'temperature', omitted: true } },
    expected: { status: ['2xx'] },
    difference: { variant: 'o3-mini with temperature 0' },
  })
  expect(summarizeCauses([one])).toEqual([
    'Valid requests to `POST /v1/chat/completions` (o3-mini with temperature 0) get 400, and are served only without temperature: 1',
  ])
})

test('groups valid requests that get a status outside the table with the findings that depend on them', () => {
  const outside = createFinding('speech', {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus: 422 },
    expected: { status: ['2xx', 400, 401, 402, 404, 429, 500] },
    difference: { responses: 1, of: 4 },
  })
  const unserved = createFinding('speech', {
    verdict: 'not-testable',
    code: 'request-not-served',
    params: { actualStatus: 422 },
  })
  expect(summarizeCauses([createServedFinding('speech'), outside, unserved])).toEqual([
    'Some valid requests to `POST /v1/audio/speech` get 422: 2',
  ])
})

test('distinguishes keys in another header or scheme from altered keys', () => {
  const accepted = (credential: CredentialDefect) =>
    createFinding('chat', {
      verdict: 'fail',
      code: 'unexpected-status',
      params: { actualStatus: 200 },
      expected: { status: [401] },
      difference: { credential },
    })
  expect(summarizeCauses([accepted('other-header'), accepted('other-scheme')])).toEqual([
    'The target accepts keys that are not bearer tokens: 2',
  ])
  expect(summarizeCauses([accepted('longer-key')])).toEqual(['Altered keys are accepted instead of getting 401: 1'])
})

test('never merges causes of invalid keys with causes of validation errors', () => {
  const wrong = (expected: number, actualStatus: number, count: number) =>
    Array.from({ length: count }, () =>
      createFinding('chat', {
        verdict: 'fail',
        code: 'unexpected-status',
        params: { actualStatus },
        expected: { status: [expected] },
        ...(expected === 401 ? { difference: { credential: 'unknown-key' } as const } : {}),
      }),
    )
  const found = [...wrong(401, 400, 7), ...wrong(401, 500, 6), ...wrong(400, 500, 6), ...wrong(400, 422, 5)]
  const titles = summarizeCauses(found).join('\n')
  expect(titles).toContain('get 400 (7) or 500 (6) instead of 401: 13')
  expect(titles).toContain('Validation errors get 500 instead of 400: 6')
  expect(titles).toContain('Validation errors get 422 instead of 400: 5')
})

test('reports a status outside the table for a large body', () => {
  const large = createFinding('chat', {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus: 413 },
    expected: { status: ['2xx', 400, 404] },
    difference: { body: 'the valid body with 2 MB of spaces' },
  })
  expect(summarizeCauses([createServedFinding('chat'), large])).toEqual([
    'Large bodies get 413, a status that section 7 does not name: 1',
  ])
  const audioFile = createFinding('transcriptions', {
    ...large.outcome,
    difference: { of: 5, responses: 1 },
  })
  expect(summarizeCauses([createServedFinding('transcriptions'), audioFile, large])).toEqual([
    'Bodies above a size limit get 413, a status that section 7 does not name: 2',
  ])
})

test('names the model if only its valid requests get a status outside the table', () => {
  const rejected = (model?: string) =>
    createFinding('chat', {
      verdict: 'fail',
      code: 'unexpected-status',
      params: { actualStatus: 422 },
      expected: { status: ['2xx', 400, 401] },
      difference: { responses: 2, of: 9, ...(model === undefined ? {} : { model }) },
    })
  expect(summarizeCauses([createServedFinding('chat'), rejected('o3-mini')])).toEqual([
    'Valid requests to `POST /v1/chat/completions` for the model `o3-mini` get 422: 1',
  ])
  expect(summarizeCauses([createServedFinding('chat'), rejected()])).toEqual([
    expect.stringContaining('A valid request gets 422: the target should return what check'),
  ])
})

test('distinguishes a model that some lists lack from one that all lists lack', () => {
  const notListed = (of: number) =>
    createFinding('models', {
      verdict: 'fail',
      code: 'models-not-listed',
      params: { missing: ['vendora-reasoner'] },
      expected: { rule: 'all-models-listed' },
      ...(of === 1 ? {} : { difference: { responses: 1, of } }),
    })
  expect(summarizeCauses([notListed(1)])).toEqual([expect.stringMatching(/^The target lacks 1 of the eight models/)])
  expect(summarizeCauses([notListed(3)])).toEqual([
    'The list of models differs between requests: some lists lack vendora-reasoner: 1',
  ])
})

test('does not call a request valid if only a convention of clients requires it', () => {
  const rejected = createFinding(
    'chat',
    {
      verdict: 'warn',
      code: 'unexpected-status',
      params: { actualStatus: 400 },
      expected: { mediaType: 'text/event-stream' },
      consequence: 'z',
    },
    { level: 'convention' },
  )
  const sent: CheckFinding = { ...rejected, outcome: { ...rejected.outcome, expected: { status: ['2xx'] } } }
  expect(summarizeCauses([createServedFinding('chat'), sent])).toEqual([
    expect.stringContaining('A request gets 400: the target should return what check'),
  ])
})

test.each([
  [['other-header'], 'Keys in headers other than Authorization are accepted'],
  [['no-prefix'], 'Keys without their prefix `sk-svc-` are accepted'],
  [['other-letter-case', 'prefix-in-capitals'], 'Keys are accepted in another letter case'],
] as const)('names the accepted keys with the defects %o', (credentials, title) => {
  const accepted = credentials.map((credential) =>
    createFinding('chat', {
      verdict: 'fail',
      code: 'unexpected-status',
      params: { actualStatus: 200 },
      expected: { status: [401] },
      difference: { credential },
    }),
  )
  expect(summarizeCauses(accepted)).toEqual([`${title}: ${credentials.length}`])
})

test('shows the command of the section 1 check for an operation that serves nothing', () => {
  const outcome = { verdict: 'fail', code: 'unexpected-status', params: { actualStatus: 400 } } as const
  const expected = { status: ['2xx'] } as const
  const role = createFinding('chat', { ...outcome, expected }, { section: '2.3', reproduce: 'curl short' })
  const offered = createFinding('chat', { ...outcome, expected }, { section: '1', reproduce: 'curl a longer command' })
  expect(findCauses([role, offered])).toMatchObject([
    { title: '`POST /v1/chat/completions` returns 400', reproduce: 'curl a longer command' },
  ])
})

test('names the requests that the target serves if it rejects the others because of a parameter', () => {
  const rejected = (difference?: CheckFinding['outcome']['difference']): CheckFinding =>
    createFinding('chat', {
      verdict: 'fail',
      code: 'unexpected-status',
      params: { actualStatus: 400 },
      expected: { status: ['2xx'] },
      ...(difference === undefined ? {} : { difference }),
    })
  const findings = [
    rejected(),
    rejected({ parameter: 'temperature', value: 0 }),
    createFinding('chat', {
      verdict: 'fail',
      code: 'served-only-otherwise',
      params: { actualStatus: 400, servedWith: { parameter: 'max_tokens', omitted: true } },
      expected: { status: ['2xx'] },
    }),
  ]
  expect(summarizeCauses(findings)).toEqual([
    '`POST /v1/chat/completions` returns 400, and serves requests only without max_tokens: 3',
  ])
})

test('names the endpoint rather than the models if chats get the response to an unknown endpoint', () => {
  const missing = MODELS.map(({ id }) => id)
  const list = createFinding('models', {
    verdict: 'fail',
    code: 'models-not-listed',
    params: { missing },
    expected: { rule: 'all-models-listed' },
  })
  const chat = createFinding('chat', {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus: 404 },
    expected: { status: ['2xx'] },
  })
  const unknownEndpoint = (chatBody: string): CheckFinding => {
    const finding = createFinding(
      'chat',
      { verdict: 'not-testable', code: 'control-request-not-served', params: { actualStatus: 404 } },
      { id: '7/unknown-endpoint-post', status: 404 },
    )
    const evidence = [chatBody, '{}'].flatMap((body) =>
      (finding.entry.evidence ?? []).map((one) => ({ ...one, response: { status: 404, headers: {}, body } })),
    )
    return { ...finding, entry: { ...finding.entry, evidence } }
  }
  expect(summarizeCauses([list, chat, unknownEndpoint('{}')])).toEqual([
    '`POST /v1/chat/completions` returns 404: 2',
    'The target lists none of the eight models: 1',
  ])
  expect(summarizeCauses([list, chat, unknownEndpoint('no such model')])).toEqual([
    'The target serves none of the eight models: 3',
  ])
})
