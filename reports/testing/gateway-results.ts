import type { ConformanceDocument, ExchangeEntry, GatewayResults } from '../conformance-document.ts'
import { createCheckEntry, createDocument } from './sample-document.ts'

const UPSTREAM = 'http://127.0.0.1:9100'

const CLIENT: ExchangeEntry = {
  startedAtMs: 20,
  request: { method: 'POST', url: 'https://api.example.com/v1/chat/completions', headers: {}, body: '{"stream":true}' },
  response: { status: 200, headers: {}, body: 'at the client' },
  truncated: false,
}

const OTHER_END: ExchangeEntry = {
  ...CLIENT,
  startedAtMs: 21,
  request: { ...CLIENT.request, url: `${UPSTREAM}/v1/chat/completions` },
  response: { status: 200, headers: {}, body: 'at the upstream' },
}

const policy = (id: string, title: string, value: Readonly<Record<string, unknown>>, declared?: string) =>
  createCheckEntry(id, 'observed', {
    level: 'unspecified',
    title,
    expected: [],
    actual: Object.entries(value)
      .map(([name, behaviour]) => `${name}: ${String(behaviour)}`)
      .join('; '),
    value,
    ...(declared === undefined ? {} : { declared }),
  })

/** Results of the suite for gateways: failures, a warning, a gap and policies. */
export function createGatewayResults(changes: Partial<GatewayResults> = {}): GatewayResults {
  const checks = [
    createCheckEntry('gateway/stream-text', 'fail', {
      title: 'forwards the text of streams',
      code: 'gateway-changed',
      params: { part: 'text', sent: 'costs €5', arrived: 'costs \uFFFD\uFFFD5', isStream: true },
      expected: ['the client receives what the upstream sent'],
      actual: 'the text of the stream arrived as "costs \uFFFD\uFFFD5" instead of "costs €5"',
      evidence: [{ ...CLIENT, startedAtMs: 5 }, CLIENT, { ...CLIENT, startedAtMs: 30 }, OTHER_END],
      reproduce: "curl -sS 'https://api.example.com/v1/chat/completions'",
    }),
    createCheckEntry('gateway/once', 'fail', { knownFailure: 'repaired in June', actual: 'sent twice' }),
    createCheckEntry('gateway/pace', 'warn', { level: 'convention', actual: 'held back 3 events' }),
    createCheckEntry('gateway/upload', 'not-testable', { actual: 'the gateway offers no transcriptions' }),
    createCheckEntry('gateway/usage', 'pass'),
    policy('gateway/status-map', 'the status for each status of the upstream', { 400: 400, 500: 500, 529: 503 }),
    policy('gateway/retries', 'the number of upstream requests', { 400: 1, 429: 1, 500: 3 }, '500: 3'),
    policy('gateway/cache', 'an identical request', { 'identical request': 'forwarded' }),
  ]
  const { verdict, summary, requirements, causes, spent, durationMs } = createDocument({ checks })
  return {
    upstream: UPSTREAM,
    verdict,
    summary,
    requirements,
    checks,
    causes: causes.map((cause) => ({
      ...cause,
      ...(cause.checks.includes('gateway/stream-text') && { title: 'The gateway damages the text in streams' }),
    })),
    notPlanned: [{ id: 'gateway/slots', reason: 'excluded by --skip', code: 'skipped' }],
    spent,
    durationMs,
    remarks: ['A known failure passes: gateway/x.'],
    remarkFindings: [{ code: 'known-failures-repaired', params: { ids: ['gateway/x'] } }],
    ...changes,
  }
}

/** Builds a document of a conformant target that is a gateway. */
export function createBoth(changes: Partial<GatewayResults> = {}): ConformanceDocument {
  const checks = [createCheckEntry('1/a', 'pass')]
  return {
    ...createDocument({ checks, verdict: 'conformant', url: 'https://api.example.com' }),
    gateway: createGatewayResults(changes),
  }
}

/** Builds a document of a run that selected only checks of the gateway. */
export function createGatewayOnly(): ConformanceDocument {
  const gateway = createGatewayResults()
  const { verdict, remarks, remarkFindings } = gateway
  const selection = { only: ['gateway'], skip: [] }
  return { ...createBoth(), gateway, verdict, remarks, remarkFindings, selection, checks: [], requirements: [] }
}
