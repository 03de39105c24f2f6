import type { CheckEntry, CheckVerdict, ConformanceDocument } from '../../conformance-document.ts'
import { html, type Markup } from '../markup.ts'
import { isGatewayRun } from '../../gateway-run.ts'
import { renderVerdict } from '../elements.ts'

const VERDICTS: readonly CheckVerdict[] = ['fail', 'error', 'warn', 'not-testable', 'declared', 'pass', 'observed']

const MEANINGS: Readonly<Record<CheckVerdict, string>> = {
  pass: 'meet the specification',
  fail: 'violate the specification',
  declared: 'differ from the specification as declared',
  warn: 'violate a convention of clients',
  observed: 'unspecified behaviour',
  'not-testable': 'could not run, or had too little evidence',
  error: 'errors of the suite',
}

/** Renders the number of checks for each verdict, most important verdict first. */
export function renderCounts(checks: readonly CheckEntry[]): Markup {
  if (checks.length === 0) return html`<span class="muted">no checks</span>`
  return html`${present(checks).map(([verdict, count]) => html`${renderVerdict(`${count} ${verdict}`, verdict)} `)}`
}

const GATEWAY_MEANINGS: typeof MEANINGS = {
  ...MEANINGS,
  pass: 'meet gateway.md',
  fail: 'violate gateway.md',
  warn: 'violate a convention of gateways',
  observed: 'policies of the gateway',
}

export function renderCountTiles(document: ConformanceDocument): Markup {
  const { checks } = document
  const meanings = isGatewayRun(document) ? GATEWAY_MEANINGS : MEANINGS
  return html`<ul class="tiles">
    ${present(checks).map(([verdict, count]) => html`<li><strong>${count}</strong>${renderVerdict(verdict)} <span>${meanings[verdict]}</span></li>`)}
  </ul>`
}

export function renderCountNote({ checks, requirements, notPlanned }: ConformanceDocument): Markup {
  const tested = new Set(checks.map(({ requirement }) => requirement))
  const count = requirements.filter(({ id }) => tested.has(id)).length
  const excluded = requirements.filter((row) => 'excluded' in row).length
  const others = [
    ...(excluded === 0 ? [] : [`${excluded} requirements cannot be tested from outside.`]),
    ...(notPlanned.length === 0 ? [] : [`${notPlanned.length} further checks were not part of it.`]),
  ]
  return html`<p class="muted">
    The run has ${checks.length} checks, for ${count} of ${requirements.length} requirements. A requirement is a
    sentence of the specification, or behaviour that it leaves open; it can have several checks. ${others.join(' ')}
  </p>`
}

function present(checks: readonly CheckEntry[]): [verdict: CheckVerdict, count: number][] {
  return VERDICTS.map((verdict): [CheckVerdict, number] => [
    verdict,
    checks.filter((check) => check.verdict === verdict).length,
  ]).filter(([, count]) => count > 0)
}
