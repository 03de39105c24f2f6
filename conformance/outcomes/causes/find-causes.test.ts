import { expect, test } from 'vitest'
import { MODELS, type Operation } from '../../../contract/facts.ts'
import { findCauses } from './find-causes.ts'
import type { Outcome } from '../outcome.ts'
import type { CheckFinding } from './finding.ts'
import { createFinding, createServedFinding, summarizeCauses } from './testing/findings.ts'

function wrongStatus(
  operation: Operation,
  expected: number,
  actualStatus: number,
  difference?: Outcome['difference'],
): CheckFinding {
  return createFinding(operation, {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus },
    expected: { status: [expected] },
    ...(difference === undefined ? {} : { difference }),
  })
}

const keepsStatus = (operation: Operation, status: number): CheckFinding =>
  createFinding(operation, {
    verdict: 'pass',
    code: 'as-expected',
    params: { seen: { kind: 'error-responses', statuses: [status] } },
    expected: { status: [status] },
  })

const notServed = (operation: Operation, actualStatus: number): CheckFinding =>
  createFinding(operation, {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus },
    expected: { status: ['2xx'] },
  })

const blocked = (
  operation: Operation,
  actualStatus: number,
  code: 'request-not-served' | 'control-request-not-served' = 'request-not-served',
): CheckFinding => createFinding(operation, { verdict: 'not-testable', code, params: { actualStatus } })

const missingField = (operation: Operation, path: string): CheckFinding =>
  createFinding(operation, {
    verdict: 'fail',
    code: 'missing-field',
    params: { path },
    expected: { field: path, type: 'string' },
  })

const repeat = (count: number, create: (index: number) => CheckFinding): CheckFinding[] =>
  Array.from({ length: count }, (_, index) => create(index))

const temperature = { parameter: 'temperature', value: 3 } as const

test('groups validation errors by their status across operations', () => {
  const findings = [
    wrongStatus('chat', 400, 422, temperature),
    wrongStatus('images', 400, 422, { parameter: 'n', value: 'x' }),
    wrongStatus('chat', 400, 200, { bodyText: '' }),
    createServedFinding('chat'),
  ]
  expect(summarizeCauses(findings)).toEqual([
    'Validation errors get 422 instead of 400: 2',
    'A request to `POST /v1/chat/completions` with the body "" is served instead of getting 400: 1',
  ])
})

test('names the deviating operations if others conform', () => {
  const findings = [wrongStatus('speech', 400, 500), wrongStatus('speech', 400, 500), keepsStatus('chat', 400)]
  expect(summarizeCauses(findings)).toEqual(['Validation errors on `POST /v1/audio/speech` get 500 instead of 400: 2'])
})

test('names the invalid request if other invalid requests to the operation get the correct status', () => {
  const wrong = [
    wrongStatus('chat', 400, 200, { parameter: 'temperature', value: [1] }),
    wrongStatus('chat', 400, 200, { parameter: 'model', omitted: true }),
  ]
  expect(summarizeCauses([...wrong, keepsStatus('chat', 400)])).toEqual([
    'Some invalid requests to `POST /v1/chat/completions` are served instead of getting 400 (`temperature` and `model`): 2',
  ])
  expect(summarizeCauses([...wrong.slice(0, 1), keepsStatus('chat', 400)])).toEqual([
    'A request to `POST /v1/chat/completions` with temperature [1] is served instead of getting 400: 1',
  ])
})

test.each([
  [['no-header', 'unknown-key', 'no-prefix'], 200, 'The target does not check API keys'],
  [['unknown-key', 'no-prefix'], 200, 'The target accepts any key, even an unknown one'],
  [['no-header', 'empty-token'], 200, 'Requests without a key are served instead of getting 401'],
  [['other-scheme', 'no-scheme'], 200, 'Keys are accepted without the scheme Bearer'],
  [['no-prefix', 'longer-key'], 200, 'Altered keys are accepted instead of getting 401'],
  [['no-header', 'unknown-key'], 403, 'Requests with an invalid key get 403 instead of 401'],
  [['no-header', 'no-scheme'], 403, 'Requests without a bearer token get 403 instead of 401'],
  [['no-header'], 400, 'Requests without a key get 400 instead of 401'],
] as const)('names the keys that the target does not validate: %o, %i', (credentials, status, title) => {
  const findings = credentials.map((credential) => wrongStatus('models', 401, status, { credential }))
  expect(summarizeCauses(findings)).toEqual([`${title}: ${credentials.length}`])
})

test('distinguishes unknown models, unknown endpoints and empty accounts', () => {
  const findings = [
    wrongStatus('chat', 404, 400, { parameter: 'model', value: 'x' }),
    wrongStatus('chat', 404, 405, { method: 'POST', path: '/v1/x' }),
    wrongStatus('chat', 402, 429, { account: 'no-credits' }),
  ]
  expect(summarizeCauses(findings)).toEqual([
    'Requests with an unknown model get 400 instead of 404: 1',
    'Requests to an unknown endpoint get 405 instead of 404: 1',
    'Requests of an account without credits get 429 instead of 402: 1',
  ])
})

test('groups failures with checks that are not testable for the same reason', () => {
  const findings = [
    notServed('models', 500),
    ...repeat(3, () => blocked('models', 500)),
    ...repeat(2, () => blocked('models', 500, 'control-request-not-served')),
  ]
  expect(summarizeCauses(findings)).toEqual(['`GET /v1/models` returns 500: 6'])
})

test('names all missing operations in one cause', () => {
  const search = createFinding(
    'speech',
    { verdict: 'not-testable', code: 'no-model-found', params: { operation: 'speech', models: 8, responses: ['404'] } },
    { evidence: [] },
  )
  expect(summarizeCauses([notServed('images', 404), blocked('images', 404), notServed('speech', 404), search])).toEqual(
    ['`POST /v1/images/generations` and `POST /v1/audio/speech` return 404: 4'],
  )
})

test('distinguishes an operation that rejects some valid requests from a missing one', () => {
  expect(summarizeCauses([notServed('chat', 400), notServed('chat', 400), createServedFinding('chat')])).toEqual([
    'Some valid requests to `POST /v1/chat/completions` get 400: 2',
  ])
})

test('does not attribute problems of the tester’s account to the target', () => {
  const limited = createFinding(
    'chat',
    { verdict: 'not-testable', code: 'request-not-served', params: { actualStatus: 429 } },
    { actual: 'the key stayed rate limited.' },
  )
  expect(summarizeCauses([limited])).toEqual(['the key stayed rate limited: 1'])
})

test('names the models as the cause if none of the eight is listed or served', () => {
  const missing = MODELS.map(({ id }) => id)
  const findings = [
    createFinding('models', {
      verdict: 'fail',
      code: 'models-not-listed',
      params: { missing },
      expected: { rule: 'all-models-listed' },
    }),
    createServedFinding('models'),
    notServed('chat', 404),
    ...repeat(4, () => blocked('chat', 404)),
  ]
  expect(summarizeCauses(findings)).toEqual(['The target serves none of the eight models: 6'])
  expect(summarizeCauses(findings.slice(0, 2))).toEqual(['The target lists none of the eight models: 1'])
})

test('counts a finding once that suggests the same cause in two ways', () => {
  const findings = [
    createFinding('models', {
      verdict: 'fail',
      code: 'models-not-listed',
      params: { missing: MODELS.map(({ id }) => id) },
      expected: { rule: 'all-models-listed' },
    }),
    notServed('chat', 400),
    createFinding('chat', {
      verdict: 'fail',
      code: 'unexpected-status',
      params: { actualStatus: 400 },
      expected: { status: ['2xx'] },
      difference: temperature,
    }),
  ]
  expect(summarizeCauses(findings)).toEqual(['The target serves none of the eight models: 3'])
})

test('groups the missing fields of a result with the findings that depend on them', () => {
  const findings = [
    missingField('chat', 'id'),
    missingField('chat', 'choices[0].index'),
    missingField('chat', 'usage.total_tokens'),
    missingField('images', 'created'),
  ]
  expect(summarizeCauses(findings)).toEqual([
    'Chat completions lack `id`, `choices[].index` and `usage.total_tokens`: 3',
    'Image results lack `created`: 1',
  ])
  const noUsage = createFinding('chat', { verdict: 'not-testable', code: 'no-evidence', params: { missing: 'usage' } })
  expect(summarizeCauses([missingField('chat', 'usage'), noUsage])).toEqual(['Chat completions lack `usage`: 2'])
  expect(summarizeCauses([missingField('chat', 'usage.total_tokens'), noUsage])).toEqual([
    'Chat completions lack `usage.total_tokens`: 2',
  ])
})

test('groups the failures of an operation without results', () => {
  const findings = [
    missingField('chat', 'id'),
    missingField('models', 'data'),
    ...repeat(4, () => blocked('chat', 200, 'control-request-not-served')),
    createFinding('chat', { verdict: 'not-testable', code: 'no-evidence', params: { missing: 'result' } }),
  ]
  expect(summarizeCauses(findings)).toEqual([
    'Responses of `POST /v1/chat/completions` have a 2xx status and no result: 6',
    'The list of models lacks `data`: 1',
  ])
})

test('negates the title of a check that has no cause in common with others', () => {
  const one = createFinding(
    'chat',
    {
      verdict: 'fail',
      code: 'limit-shared-between-keys',
      params: {},
      expected: { status: ['2xx'] },
    },
    { title: 'serves another key while one exceeds its limit', actual: 'the other key was returned 429' },
  )
  expect(summarizeCauses([one])).toEqual([
    'The target does not serve another key while one exceeds its limit: the other key was returned 429: 1',
  ])
})

test('sorts causes by failures, even if others have more checks that are not testable', () => {
  const findings = [
    ...(['images', 'transcriptions', 'speech'] as const).flatMap((operation, index) => [
      notServed(operation, 404 + index),
      ...repeat(40, () => blocked(operation, 404 + index)),
    ]),
    ...repeat(20, () => wrongStatus('chat', 400, 422, temperature)),
  ]
  expect(findCauses(findings).map(({ checks }) => checks.length)).toEqual([20, 41, 41, 41])
  expect(findCauses(findings.slice(0, -10)).map(({ checks }) => checks.length)).toEqual([10, 41, 41, 41])
})

test('sorts causes of failures before causes of warnings, each by number of checks', () => {
  const warning = createFinding(
    'models',
    {
      verdict: 'warn',
      code: 'missing-header',
      params: { header: 'x-request-id' },
      expected: { header: 'x-request-id' },
      consequence: 'z',
    },
    { title: 'sends a header x-request-id', actual: 'it is missing' },
  )
  const titles = summarizeCauses([
    warning,
    ...repeat(3, () => blocked('speech', 404)),
    wrongStatus('chat', 404, 400),
    ...repeat(2, () => wrongStatus('chat', 400, 422, temperature)),
  ])
  expect(titles).toEqual([
    'Validation errors get 422 instead of 400: 2',
    'Requests with an unknown model get 400 instead of 404: 1',
    'Responses have no header `x-request-id`: 1',
    '`POST /v1/audio/speech` returns 404: 3',
  ])
})

test('assigns one cause to each check, omits known failures, and shows the shortest command of a failure', () => {
  const long = createFinding(
    'chat',
    {
      verdict: 'fail',
      code: 'unexpected-status',
      params: { actualStatus: 422 },
      expected: { status: [400] },
      difference: temperature,
    },
    { reproduce: 'curl -sS a long one' },
  )
  const short = { ...long, entry: { ...long.entry, id: '1/short', reproduce: 'curl' } }
  const known = { ...long, entry: { ...long.entry, id: '1/known', knownFailure: 'soon' } }
  expect(findCauses([long, short, known])).toEqual([
    { title: 'Validation errors get 422 instead of 400', checks: [long.entry.id, '1/short'], reproduce: 'curl' },
  ])
})

test('merges related causes if the first three explain too few of many failures', () => {
  const statuses = [200, 403, 404, 405, 415, 422]
  const few = statuses.map((status) => wrongStatus('chat', 400, status, temperature))
  expect(findCauses(few)).toHaveLength(6)
  const many = statuses.flatMap((status) => repeat(4, () => wrongStatus('chat', 400, status, temperature)))
  expect(summarizeCauses(many)).toEqual([
    'Validation errors get 200 (4), 403 (4), 404 (4), 405 (4) or 2 more instead of 400: 24',
  ])
})

test('names the model if only its completions are too long', () => {
  const tooLong = (model?: string): CheckFinding =>
    createFinding('chat', {
      verdict: 'fail',
      code: 'bound-exceeded',
      params: { path: 'usage.completion_tokens', actual: 138, bound: 16 },
      expected: { rule: 'max-tokens' },
      difference: { responses: 3, of: 4, ...(model === undefined ? {} : { model }) },
    })
  expect(summarizeCauses([tooLong('o3-mini')])).toEqual([
    'Completions of `o3-mini` have more tokens than `max_tokens` allows: 1',
  ])
  expect(summarizeCauses([tooLong('o3-mini'), tooLong()])).toEqual([
    'Completions have more tokens than `max_tokens` allows: 2',
  ])
})

test('names the parameter of an incorrect number of images', () => {
  const count = (actualCount: number): CheckFinding =>
    createFinding('images', {
      verdict: 'fail',
      code: 'wrong-count',
      params: { path: 'data', actualCount },
      expected: { field: 'data', count: 2, orStatus: 400 },
    })
  expect(summarizeCauses([count(1), count(3)])).toEqual(['Image results do not contain `n` images: 2'])
  expect(summarizeCauses([count(0)])).toEqual(['Image results have a wrong `data`: 1'])
})
