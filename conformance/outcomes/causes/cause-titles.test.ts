import { expect, test } from 'vitest'
import type { Operation } from '../../../contract/facts.ts'
import { createScriptedExchange } from '../../sections/shared/scripted-context.ts'
import type { Expectation, Outcome } from '../outcome.ts'
import { findCauses } from './find-causes.ts'
import type { CheckFinding } from './finding.ts'
import { createFinding, createServedFinding, summarizeCauses } from './testing/findings.ts'

function unexpected(expected: Expectation, actualStatus: number, difference?: Outcome['difference']): Outcome {
  const outcome = { verdict: 'fail', code: 'unexpected-status', params: { actualStatus }, expected } as const
  return difference === undefined ? outcome : { ...outcome, difference }
}

const wrongStatus = (
  operation: Operation,
  expected: number,
  actualStatus: number,
  difference?: Outcome['difference'],
): CheckFinding => createFinding(operation, unexpected({ status: [expected] }, actualStatus, difference))

const temperature = { parameter: 'temperature', value: 3 } as const

const createRejectedFinding = (difference: Outcome['difference']): CheckFinding =>
  createFinding('chat', unexpected({ status: ['2xx'] }, 400, difference))

test('groups all findings that a rejected parameter value causes', () => {
  const only = createFinding('chat', {
    verdict: 'fail',
    code: 'served-only-otherwise',
    params: { actualStatus: 400, servedWith: { parameter: 'temperature', omitted: true } },
    expected: { status: ['2xx'] },
    difference: { parameter: 'temperature', value: 2, model: 'o3-mini' },
  })
  const body = Buffer.from('{"model":"a","temperature":2}')
  const exchange = createScriptedExchange(
    { status: 400 },
    { method: 'POST', path: '/v1/chat/completions', headers: {}, body },
  )
  const findings = [
    createRejectedFinding({ parameter: 'temperature', value: 2 }),
    only,
    createFinding('chat', {
      verdict: 'not-testable',
      code: 'control-request-not-served',
      params: { actualStatus: 400 },
      exchange,
    }),
  ]
  expect(summarizeCauses([createServedFinding('chat'), ...findings])).toEqual([
    'Valid requests to `POST /v1/chat/completions` with `temperature` 2 get 400: 3',
  ])
  expect(
    summarizeCauses([
      createServedFinding('chat'),
      ...findings,
      createRejectedFinding({ parameter: 'temperature', value: 0 }),
    ]),
  ).toEqual(['Valid values of `temperature` get 400: 2 and 0: 4'])
})

test('counts unusual bodies among the validation errors that get the same status', () => {
  const unusual = createFinding('chat', {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus: 500 },
    expected: { status: ['2xx', '4xx'] },
    difference: { body: 'the valid body with "temperature":NaN' },
  })
  const wrong = [wrongStatus('chat', 400, 500, temperature), wrongStatus('chat', 400, 500, temperature)]
  expect(summarizeCauses([createServedFinding('chat'), unusual, ...wrong])).toEqual([
    'Validation errors get 500 instead of 400: 3',
  ])
})

test('names large bodies that get a status outside the table', () => {
  const large = createFinding('chat', {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus: 422 },
    expected: { status: ['2xx', 400, 404] },
    difference: { body: 'the valid body with 2 MB of spaces' },
  })
  expect(summarizeCauses([createServedFinding('chat'), large])).toEqual([
    'Large bodies get 422, a status that section 7 does not name: 1',
  ])
})

test('names errors that only the body reports', () => {
  const inBody = { body: '{"error":{"message":"no such model"}}' }
  const found = [400, 401, 404].map((status) => {
    const one = wrongStatus('chat', status, 200, temperature)
    return createFinding('chat', one.outcome, inBody)
  })
  expect(summarizeCauses([createServedFinding('chat'), ...found])).toEqual([
    'Error responses on `POST /v1/chat/completions` have status 200 instead of an error status: 3',
  ])
  const served = wrongStatus('chat', 400, 200, { parameter: 'stream', value: 'true' })
  const [first] = found
  expect(first === undefined ? [] : summarizeCauses([createServedFinding('chat'), first, served])).toEqual([
    'Error responses on `POST /v1/chat/completions` have status 200 instead of an error status: 1',
    'A request to `POST /v1/chat/completions` with stream "true" is served instead of getting 400: 1',
  ])
})

test('reports that credits are not enforced', () => {
  const free = wrongStatus('chat', 402, 200, { account: 'no-credits' })
  expect(summarizeCauses([createServedFinding('chat'), free, free])).toEqual([
    'Credits are not enforced: requests of an account without credits are served instead of getting 402: 2',
  ])
})

test('reports a usage that is too high by one token', () => {
  const excess = (actual: number, bound: number): CheckFinding =>
    createFinding('chat', {
      verdict: 'fail',
      code: 'bound-exceeded',
      params: { path: 'usage.completion_tokens', actual, bound },
      expected: { rule: 'max-tokens' },
    })
  expect(summarizeCauses([excess(17, 16), excess(257, 256)])).toEqual([
    'Completions report one token more in `usage` than `max_tokens` allows: 2',
  ])
  expect(summarizeCauses([excess(17, 16), excess(300, 256)])).toEqual([
    'Completions have more tokens than `max_tokens` allows: 2',
  ])
})

test('explains equal IDs of sequential and parallel completions by one cause', () => {
  const sameId = (params: Outcome): CheckFinding => createFinding('chat', params)
  const findings = [
    sameId({
      verdict: 'warn',
      code: 'duplicate-value',
      params: { path: 'id', actual: 'chatcmpl-1' },
      expected: { rule: 'unique-id' },
      consequence: 'z',
    }),
    sameId({
      verdict: 'warn',
      code: 'cross-talk',
      params: { of: 'id', position: 1, responses: 17 },
      expected: { rule: 'no-cross-talk' },
      consequence: 'z',
    }),
  ]
  expect(summarizeCauses(findings)).toEqual(['Several completions have the same id: 2'])
})

test('explains the acceptance of a key without the prefix by keys that are not checked, unless other keys get 401', () => {
  const withoutPrefix = createFinding('models', {
    verdict: 'fail',
    code: 'key-without-prefix',
    params: {},
    expected: { rule: 'key-prefix' },
  })
  const expected: Expectation = { status: [401] }
  const unchecked = (['no-header', 'unknown-key'] as const).map((credential) =>
    createFinding('models', unexpected(expected, 200, { credential })),
  )
  expect(summarizeCauses([withoutPrefix, ...unchecked])).toEqual(['The target does not check API keys: 3'])
  const passed: Outcome = {
    verdict: 'pass',
    code: 'as-expected',
    params: { seen: { kind: 'error-responses', statuses: [401] } },
    expected,
  }
  const withQuery = createFinding('models', passed, { id: '5/query-models' })
  expect(summarizeCauses([...unchecked, withQuery])).toEqual(['The target does not check API keys: 2'])
  const checked = createFinding('models', passed)
  // Some keys are checked and others are not, for example because one of several replicas does not check keys.
  expect(summarizeCauses([...unchecked, checked])).toEqual(['The target does not check API keys on some requests: 2'])
  expect(summarizeCauses([withoutPrefix, checked])).toEqual(['A key without the prefix `sk-svc-` is accepted: 1'])
})

test('explains deviating results by the object that contains them', () => {
  const missing = (operation: Operation, body: unknown) =>
    createFinding(
      operation,
      { verdict: 'fail', code: 'missing-field', params: { path: 'object' }, expected: { rule: 'usage' } },
      { body: JSON.stringify(body) },
    )
  const wrapped = (result: object) => ({ code: 0, data: result })
  expect(
    summarizeCauses([
      missing('models', wrapped({ object: 'list', data: [] })),
      missing('chat', wrapped({ choices: [] })),
      missing('images', wrapped({ data: [] })),
      missing('transcriptions', wrapped({ text: '' })),
    ]),
  ).toEqual(['Results are wrapped in another object: they are in its field `data`: 4'])
  expect(summarizeCauses([missing('chat', { choices: [], data: { choices: [] } })])).toEqual([
    'Chat completions lack `object`: 1',
  ])
})

test('explains missing results by errors with a success status', () => {
  const body = JSON.stringify({ error: { message: 'no such size' } })
  const lacking = createFinding(
    'images',
    { verdict: 'fail', code: 'missing-field', params: { path: 'created' }, expected: { rule: 'image-result' } },
    { body },
  )
  const served = createFinding('images', unexpected({ status: [400] }, 200), { body })
  expect(summarizeCauses([lacking, served])).toEqual([
    'Error responses on `POST /v1/images/generations` have status 200 instead of an error status: 2',
  ])
})

test('names the format of speech that is not MP3', () => {
  const speech = (body: string) =>
    createFinding(
      'speech',
      { verdict: 'fail', code: 'mp3-malformed', params: { problem: 'no-frame' }, expected: { rule: 'mp3-frames' } },
      { body },
    )
  expect(summarizeCauses([speech('ID3 mock bytes'), speech('ID3 mock bytes')])).toEqual([
    'Speech is plain text instead of MP3: 2',
  ])
  expect(summarizeCauses([speech(''), speech('')])).toEqual(['Speech is empty: 2'])
})

test('names HTML as the format of errors and of responses', () => {
  const error = (status: number, body = '<html>') =>
    createFinding(
      'chat',
      {
        verdict: 'warn',
        code: 'unexpected-media-type',
        params: { actualMediaType: 'text/html' },
        expected: { rule: 'error-body' },
        consequence: 'z',
      },
      { body, status },
    )
  expect(summarizeCauses([error(402), error(401, '<!DOCTYPE html>')])).toEqual(['Errors are HTML instead of JSON: 2'])
  expect(summarizeCauses([error(402), error(402)])).toEqual(['402 responses are HTML instead of JSON: 2'])
  const field = createFinding(
    'chat',
    { verdict: 'fail', code: 'missing-field', params: { path: 'id' }, expected: { field: 'id', type: 'string' } },
    { body: '<html></html>' },
  )
  const list = createFinding(
    'models',
    { verdict: 'fail', code: 'missing-field', params: { path: 'data' }, expected: { field: 'data', type: 'objects' } },
    { body: '<html></html>' },
  )
  expect(summarizeCauses([field, list])).toEqual(['Responses are HTML instead of JSON: 2'])
})

test('names the status of the error responses that lack a header', () => {
  const withoutHeader = (status: number) =>
    createFinding(
      'chat',
      {
        verdict: 'warn',
        code: 'missing-header',
        params: { header: 'retry-after' },
        expected: { header: 'retry-after' },
        consequence: 'z',
      },
      { status },
    )
  expect(summarizeCauses([withoutHeader(429)])).toEqual(['429 responses have no header `retry-after`: 1'])
  expect(summarizeCauses([withoutHeader(200)])).toEqual(['Responses have no header `retry-after`: 1'])
})

test('explains missing credits and limits by keys that are not checked, unless some keys get 401', () => {
  const unchecked = (['no-header', 'unknown-key'] as const).map((credential) =>
    createFinding('chat', unexpected({ status: [401] }, 200, { credential })),
  )
  const credits = createFinding('chat', unexpected({ status: [402] }, 200, { account: 'no-credits' }))
  const limit = createFinding('chat', {
    verdict: 'fail',
    code: 'limit-not-enforced',
    params: { requests: 20, rejected: 0 },
    expected: { limitedRequests: 20 },
  })
  expect(summarizeCauses([...unchecked, credits, limit])).toEqual(['The target does not check API keys: 4'])
  expect(summarizeCauses([credits])).toEqual([expect.stringMatching(/^Credits are not enforced/)])
  expect(summarizeCauses([limit])).toEqual([
    expect.stringMatching(/^The rate limit of the limited key is not enforced/),
  ])
})

test('does not call the requests of a burst large', () => {
  const burst = createFinding('chat', unexpected({ status: ['2xx', 429] }, 200, { parallel: 20 }))
  expect(summarizeCauses([createServedFinding('chat'), burst])).toEqual([
    'Requests beyond the rate limit are served instead of getting 429: 1',
  ])
})

test('counts a served request of a check that also accepts a 400 as no evidence of a 400', () => {
  const acceptsLargeBody = (actualStatus: number): CheckFinding =>
    createFinding('chat', {
      verdict: 'pass',
      code: 'as-expected',
      params: { seen: { kind: 'error-responses', statuses: [actualStatus] } },
      expected: { status: ['2xx', 400, 404] },
    })
  const wrong = [wrongStatus('chat', 400, 422, temperature), wrongStatus('chat', 400, 422, { bodyText: '' })]
  expect(summarizeCauses([...wrong, acceptsLargeBody(200)])).toEqual(['Validation errors get 422 instead of 400: 2'])
  expect(summarizeCauses([...wrong, acceptsLargeBody(400)])[0]).toMatch(/^Some validation errors on /)
})

test('counts an incomplete response with a success status as served', () => {
  const cut = createFinding('chat', {
    verdict: 'fail',
    code: 'no-response',
    params: { actualStatus: 200, error: 'closed-early' },
    expected: { status: [400] },
    difference: temperature,
  })
  expect(summarizeCauses([cut, wrongStatus('chat', 400, 200, temperature)])).toEqual([
    'Invalid requests are served (200) instead of getting 400: 2',
  ])
})

test('merges validation errors and unknown models only if the first three causes explain too few failures', () => {
  const model = { parameter: 'model', value: 'unknown' } as const
  const rejected = Array.from({ length: 16 }, (_, index) =>
    wrongStatus('chat', 400, index % 2 ? 200 : 422, temperature),
  )
  const unknown = [200, 200, 500].map((status) => wrongStatus('chat', 404, status, model))
  const others = ['models', 'images', 'speech', 'transcriptions'].flatMap((operation) =>
    ['a', 'b'].map(() =>
      createFinding(operation as Operation, {
        verdict: 'fail',
        code: 'wrong-value',
        params: { path: operation, actual: 1 },
        expected: { rule: 'usage' },
      }),
    ),
  )
  expect(summarizeCauses([...rejected, ...unknown])).toHaveLength(4)
  expect(summarizeCauses([...rejected, ...unknown, ...others])[0]).toBe(
    'Invalid requests get 200 (10), 422 (8) or 500 (1) instead of 400 or 404: 19',
  )
  const badRequest = wrongStatus('chat', 404, 400, model)
  expect(summarizeCauses([...rejected, ...unknown, badRequest, ...others])[0]).toBe(
    'Invalid requests get wrong responses: 200 (10), 422 (8), 500 (1) and 400 instead of 404 (1): 20',
  )
  const [merged] = findCauses([...rejected, ...unknown, badRequest, ...others])
  expect(merged?.parts?.map(({ title, checks }) => `${title}: ${checks.length}`)).toEqual([
    'Validation errors get 422 instead of 400: 8',
    'Invalid requests are served (200) instead of getting 400: 8',
    'Requests with an unknown model are served instead of getting 404: 2',
    'Requests with an unknown model get 500 instead of 404: 1',
    'Requests with an unknown model get 400 instead of 404: 1',
  ])
})
