import { expect, test } from 'vitest'
import { createScriptedExchange } from '../../sections/shared/scripted-context.ts'
import type { Outcome } from '../outcome.ts'
import { findCauses } from './find-causes.ts'
import type { CheckFinding } from './finding.ts'
import { createFinding, createServedFinding, summarizeCauses } from './testing/findings.ts'

/** Media type deviations of results and of errors have different expectations, but may have one cause. */
const wrongType = (actualMediaType: string, expected: Outcome['expected']): CheckFinding => {
  const outcome = {
    verdict: 'warn',
    code: 'unexpected-media-type',
    params: { actualMediaType },
    consequence: 'z',
  } as const
  return createFinding('chat', expected === undefined ? outcome : { ...outcome, expected })
}

test('names a wrong media type of results and errors once', () => {
  const ofErrors = wrongType('text/plain', { rule: 'error-body' })
  const ofResults = wrongType('text/plain', { mediaType: 'application/json' })
  expect(summarizeCauses([ofErrors, ofErrors, ofResults])).toEqual([
    'Chat completions and JSON errors have the media type `text/plain` instead of `application/json`: 3',
  ])
  expect(summarizeCauses([ofErrors, ofErrors])).toEqual([
    'JSON errors have the media type `text/plain` instead of `application/json`: 2',
  ])
})

test('states that error bodies are not valid JSON if they only start like JSON', () => {
  const lacking = (body: string): CheckFinding =>
    createFinding(
      'chat',
      { verdict: 'warn', code: 'missing-field', params: { path: 'error' }, expected: { rule: 'error-body' } },
      { body, status: 400 },
    )
  expect(summarizeCauses([lacking('{"error":{}} trailing')])).toEqual([
    '400 responses have a body that is not valid JSON: 1',
  ])
  expect(summarizeCauses([lacking('{"detail":"x"}')])).toEqual(['Error bodies lack `error`: 1'])
})

const rejecting = (difference: NonNullable<Outcome['difference']>, actualStatus: number): Outcome => ({
  verdict: 'fail',
  code: 'unexpected-status',
  params: { actualStatus },
  expected: { status: [400] },
  difference,
})

test('describes the bodies that get a wrong status', () => {
  const rejected = createFinding('chat', {
    verdict: 'pass',
    code: 'as-expected',
    params: { seen: { kind: 'error-responses', statuses: [400] } },
    expected: { status: [400] },
  })
  const bodies = ['{"model":', '', '[]'].map((bodyText) => createFinding('chat', rejecting({ bodyText }, 500)))
  expect(summarizeCauses([createServedFinding('chat'), rejected, ...bodies])).toEqual([
    'Some validation errors on `POST /v1/chat/completions` get 500 instead of 400 (a body that is not valid JSON, an empty body and a body that is not a JSON object): 3',
  ])
})

test('shows the simplest request if the target serves invalid values of one parameter', () => {
  const served = (reproduce: string, section: string): CheckFinding =>
    createFinding('chat', rejecting({ parameter: 'temperature', value: 3 }, 200), { reproduce, section })
  const untested = createFinding('chat', {
    verdict: 'not-testable',
    code: 'control-request-not-served',
    params: { actualStatus: 200 },
  })
  const members = [served('curl a stream with a long body', '7'), served('curl short', '4.2'), untested]
  expect(findCauses([createServedFinding('chat'), ...members])[0]?.reproduce).toBe('curl short')
})

const unserved = (fields: object, actualStatus: number): CheckFinding => {
  const body = Buffer.from(JSON.stringify(fields))
  const request = { method: 'POST', path: '/v1/chat/completions', headers: {}, body }
  const exchange = createScriptedExchange({ status: actualStatus }, request)
  return createFinding('chat', {
    verdict: 'not-testable',
    code: 'request-not-served',
    params: { actualStatus },
    exchange,
  })
}

test('attributes a rejected request to the missing model that it names', () => {
  const missing = createFinding('models', {
    verdict: 'fail',
    code: 'models-not-listed',
    params: { missing: ['o3-mini'] },
    expected: { rule: 'usage' },
  })
  const request = unserved({ model: 'o3-mini' }, 404)
  expect(summarizeCauses([createServedFinding('chat'), createServedFinding('models'), missing, request])).toEqual([
    'The target lacks 1 of the eight models: o3-mini: 2',
  ])
})

test('attributes a rejected request to a parameter that its model does not support', () => {
  const unsupported = createFinding('chat', {
    verdict: 'fail',
    code: 'served-only-otherwise',
    params: { actualStatus: 400, servedWith: { parameter: 'temperature', omitted: true } },
    expected: { status: ['2xx'] },
    difference: { parameter: 'temperature', value: 0, model: 'o3-mini' },
  })
  const requestOf = (model: string): CheckFinding => unserved({ model, temperature: 2 }, 400)
  const title =
    'Valid requests to `POST /v1/chat/completions` (o3-mini with temperature 0) get 400, and are served only without temperature'
  expect(summarizeCauses([createServedFinding('chat'), unsupported, requestOf('o3-mini')])).toEqual([`${title}: 2`])
  expect(summarizeCauses([createServedFinding('chat'), unsupported, requestOf('other')])).toHaveLength(2)
})

test('quotes section 4.2 if requests get a stream that they did not request', () => {
  const exchange = (events: readonly { readonly atMs: number; readonly data: string }[]) => ({
    startedAtMs: 0,
    request: { method: 'POST', url: 'http://x/v1/chat/completions', headers: {}, body: '{"model":"a"}' },
    response: { status: 200, headers: {}, body: '', events },
    truncated: false,
  })
  const missing = (section: string): CheckFinding =>
    createFinding(
      'chat',
      { verdict: 'fail', code: 'missing-field', params: { path: 'id' }, expected: { rule: 'usage' } },
      { section, reproduce: `curl ${section}`, evidence: [exchange([{ atMs: 1, data: '{}' }])] },
    )
  expect(findCauses([missing('2.3'), missing('2.3'), missing('4.2')])).toMatchObject([
    { title: 'Requests without `stream: true` get a stream instead of JSON', reproduce: 'curl 4.2' },
  ])
})
