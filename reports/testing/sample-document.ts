import type { CheckEntry, CheckVerdict, ConformanceDocument } from '../conformance-document.ts'
import { isExemptCheck } from '../conformance-verdict.ts'

/** Builds a check of a sample document. Its section is the part of `id` before the slash. */
export function createCheckEntry(id: string, verdict: CheckVerdict, changes: Partial<CheckEntry> = {}): CheckEntry {
  return {
    id,
    requirement: id,
    section: id.split('/')[0] ?? '',
    level: 'stated',
    title: `the title of ${id}`,
    verdict,
    code: verdict === 'fail' ? 'unexpected-status' : 'as-expected',
    params: {},
    expected: ['200'],
    actual: 'as it should be',
    durationMs: 1,
    ...changes,
  }
}

export function createDocument(parts: {
  readonly checks: readonly CheckEntry[]
  readonly verdict?: ConformanceDocument['verdict']
  readonly url?: string
}): ConformanceDocument {
  const { checks, verdict = 'non-conformant', url = 'http://127.0.0.1:8080' } = parts
  const findings = checks.filter(
    (check) => !isExemptCheck(check) && !['pass', 'declared', 'observed'].includes(check.verdict),
  )
  const count = (of: CheckVerdict): number => checks.filter((check) => check.verdict === of).length
  return {
    schemaVersion: 1,
    kind: 'conformance',
    tool: { name: 'touchstone', version: '0.0.0' },
    spec: { sha256: '0' },
    target: { url, baseUrl: url, embedded: false, keys: {}, models: {} },
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 1500,
    verdict,
    strict: false,
    selection: null,
    summary: {
      pass: count('pass'),
      fail: count('fail'),
      declared: count('declared'),
      warn: count('warn'),
      observed: count('observed'),
      notTestable: count('not-testable'),
      error: count('error'),
    },
    spent: { requests: 12, rateLimited: 1, creditsUpperBound: 0.5, creditsKnown: 0.25 },
    requirements: checks.map(({ id, section }) => ({
      id,
      section,
      level: 'stated',
      quote: `the sentence of ${id}`,
      checks: [id],
    })),
    checks,
    causes: [...Map.groupBy(findings, ({ actual }) => actual)].map(([title, group]) => ({
      title,
      checks: group.map(({ id }) => id),
    })),
    notPlanned: [],
    latency: [],
    remarks: [],
    remarkFindings: [],
  }
}
