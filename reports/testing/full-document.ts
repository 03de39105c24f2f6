import type {
  CauseEntry,
  ConformanceDocument,
  DeclaredDifferenceEntry,
  ExchangeEntry,
} from '../conformance-document.ts'
import { createGatewayResults } from './gateway-results.ts'
import { createCheckEntry, createDocument } from './sample-document.ts'

const STREAM: ExchangeEntry = {
  startedAtMs: 12,
  request: {
    method: 'POST',
    url: 'https://api.example.com/v1/chat/completions',
    headers: { authorization: 'Bearer …k3Yq', 'content-type': 'application/json' },
    body: '{"model":"o3-mini","stream":true,"messages":[{"role":"user","content":"Say hello."}]}',
  },
  response: {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: '',
    events: [
      { atMs: 80.5, data: '{"choices":[{"delta":{"role":"assistant","content":"Hello"}}]}' },
      { atMs: 101.25, data: '[DONE]' },
    ],
  },
  truncated: true,
}

const WITHOUT_RESPONSE: ExchangeEntry = {
  ...STREAM,
  response: null,
  error: 'the connection was reset',
  truncated: false,
}

const CAUSES: readonly CauseEntry[] = [
  {
    title: 'Requests with an unknown model to `POST /v1/chat/completions` get 200 instead of 404',
    checks: ['2.1/fail', '5/missing'],
    reproduce: `curl -sS 'https://api.example.com/v1/models' -H 'authorization: Bearer '"$TOUCHSTONE_KEY"`,
  },
  { title: 'The suite itself failed', checks: ['8/broken'] },
  { title: 'Streams do not send the role in the first delta', checks: ['4.2/warn'] },
]

const DIFFERENCES: readonly DeclaredDifferenceEntry[] = [
  {
    name: 'validationErrors',
    value: 422,
    text: 'validation errors get 422',
    why: 'the framework returns 422',
  },
  { name: 'keys', value: 'none', text: 'no keys', why: 'the service runs in a private network' },
]

const CHECKS = [
  createCheckEntry('1/pass', 'pass', { evidence: [STREAM] }),
  createCheckEntry('2.1/fail', 'fail', {
    title: 'returns 404 for an unknown model',
    code: 'unexpected-status',
    params: { operation: 'chat', expected: { status: [404, 400] }, actualStatus: 200 },
    expected: ['404', '400'],
    actual: 'returned 200',
    evidence: [STREAM, WITHOUT_RESPONSE],
    reproduce: `curl -sS 'https://api.example.com/v1/models' -H 'authorization: Bearer '"$TOUCHSTONE_KEY"`,
  }),
  createCheckEntry('2.2/known', 'fail', { knownFailure: 'the supplier repairs it in May', actual: 'returned 500' }),
  createCheckEntry('4.2/declared', 'declared', {
    differences: ['validationErrors'],
    expected: ['422'],
    actual: 'returned 422',
    evidence: [STREAM],
  }),
  createCheckEntry('4.2/warn', 'warn', {
    level: 'convention',
    actual: 'no role in the first delta',
    consequence: 'openai-node: the stream helper throws "missing role"',
  }),
  createCheckEntry('5/missing', 'not-testable', { actual: 'needs a key without credits: give --no-credits-key' }),
  createCheckEntry('5/accepted', 'not-testable', { actual: 'needs a second key', accepted: 'no key exists' }),
  createCheckEntry('7/unspecified', 'observed', {
    level: 'unspecified',
    title: 'the handling of the message {"role":"developer"}',
    expected: [],
    actual: 'the message {"role":"developer"}: returned 200',
    declared: 'returned 200',
  }),
  createCheckEntry('8/broken', 'error', { actual: 'the suite failed' }),
]

/** Builds a conformance document with every verdict and most optional members. */
export function createFullDocument(): ConformanceDocument {
  const document = createDocument({
    url: 'https://api.example.com',
    checks: CHECKS,
  })
  return {
    ...document,
    causes: CAUSES,
    target: {
      ...document.target,
      keys: { funded: '…k3Yq' },
      models: { chat: 'o3-mini' },
      differences: DIFFERENCES,
      problem: 'The key was rejected.',
      obstacle: { code: 'funded-key-rejected', params: { actualStatus: 401 } },
    },
    strict: true,
    selection: { only: ['2.1'], skip: ['9'] },
    requirements: [
      ...document.requirements,
      { id: '9/others', section: '9', level: 'stated', quote: 'Others may follow.', excluded: 'nothing to test' },
    ],
    notPlanned: [{ id: '5/spending', reason: 'requires the declaration smallBalance', code: 'not-declared' }],
    latency: [
      {
        operation: 'chat-stream',
        figure: 'ttft',
        n: 40,
        p50: 80,
        p90: 120,
        p99: 190,
        max: 201,
        budget: 100,
        note: 'few',
      },
    ],
    budgets: [
      {
        metric: 'chat-stream.ttft',
        statistic: 'p90',
        op: '<=',
        limit: 100,
        unit: 'ms',
        actual: 120,
        n: 40,
        needed: 10,
        verdict: 'broken',
      },
    ],
    remarks: ['The budget chat-stream.ttft.p90 <= 100 ms is broken.'],
    remarkFindings: [{ code: 'budget-broken', params: { metric: 'chat-stream.ttft' } }],
    gateway: createGatewayResults(),
  }
}
