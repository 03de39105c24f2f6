import type { CheckEntry, ConformanceDocument } from '../../conformance-document.ts'
import { html, type HtmlValue, type Markup } from '../markup.ts'
import { isGatewayCheck } from '../../gateway-run.ts'
import { describeBehaviour, describeRequest, type Policy } from '../../policies.ts'
import { renderDetails, renderGroupedTable, renderIds, renderTable, renderVerdict } from '../elements.ts'
import { describeSeen, type ReportedDifference } from '../../conformance-verdict.ts'
import { renderQuote } from '../specification.ts'
import { buildAnchor, type RequirementsById } from './check.ts'

export function renderUnspecifiedBehaviour(observed: readonly CheckEntry[], quotes: RequirementsById): Markup {
  const rows = observed.map((check) => ({
    check,
    title: describeRequest(check),
    behaviour: describeBehaviour(check),
  }))
  return renderObservations('Unspecified behaviour of this target', 'Request', rows, quotes)
}

export function renderPolicies(policies: readonly Policy[], quotes: RequirementsById): Markup {
  const rows = policies.map(({ check, title, summary, cases }) => {
    const list = html`<ul>
      ${cases.map(([name, behaviour]) => html`<li>${name}: ${behaviour}</li>`)}
    </ul>`
    const isShortened = cases.some(([name]) => !summary.includes(name)) && cases.length > 1
    return {
      check,
      title,
      behaviour: html`${summary}${isShortened && renderDetails(`${cases.length} cases`, list)}`,
    }
  })
  return renderObservations('What the gateway does', 'Policy', rows, quotes)
}

interface Observation {
  readonly check: CheckEntry
  readonly title: string
  readonly behaviour: HtmlValue
}

function renderObservations(
  caption: string,
  subject: string,
  observations: readonly Observation[],
  quotes: RequirementsById,
): Markup {
  const byQuote = Map.groupBy(observations, ({ check: { requirement } }) => quotes.get(requirement)?.quote ?? '')
  const groups = [...byQuote].map(([quote, members]) => ({
    heading: members.every(({ check }) => isGatewayCheck(check))
      ? quote
      : renderQuote(members[0]?.check.section ?? '', quote),
    rows: members.map(({ check: { id, declared }, title, behaviour }) => [
      html`${title} <code class="muted">${id}</code>`,
      html`${behaviour}${declared !== undefined && html` <span class="muted">(declared: ${declared})</span>`}`,
    ]),
  }))
  return html`<div class="unspecified">
    ${renderGroupedTable(caption, [{ heading: subject }, { heading: 'Behaviour' }], groups)}
  </div>`
}

export function renderNotTestable(checks: readonly CheckEntry[]): Markup {
  const byReason = [...Map.groupBy(checks, ({ actual }) => actual)].toSorted(([, a], [, b]) => b.length - a.length)
  const rows = byReason.map(([reason, group]) => [reason, group.length, renderIds(group.map(({ id }) => id))])
  return renderReasons('Checks that were not testable', rows)
}

export function renderNotPlanned({ notPlanned }: ConformanceDocument): Markup {
  const byReason = [...Map.groupBy(notPlanned, ({ reason }) => reason)]
  const rows = byReason.map(([reason, group]) => [reason, group.length, renderIds(group.map(({ id }) => id))])
  return renderReasons('Checks that were not part of this run', rows)
}

function renderReasons(caption: string, rows: readonly HtmlValue[][]): Markup {
  const columns = [{ heading: 'Reason' }, { heading: 'Number', isNumber: true }, { heading: 'Checks' }]
  return html`<div class="reasons">${renderTable(caption, columns, rows)}</div>`
}

export function renderDifferences(differences: readonly ReportedDifference[]): Markup {
  const rows = differences.map((entry) => [
    html`${entry.text} <code class="muted">${entry.name}</code>`,
    entry.why,
    entry.checks.length === 0 ? describeSeen(entry) : renderDetails(describeSeen(entry), renderLinks(entry.checks)),
  ])
  return renderTable(
    'Declared differences',
    [{ heading: 'Difference' }, { heading: 'Reason' }, { heading: 'Checks' }],
    rows,
  )
}

function renderLinks(checks: readonly CheckEntry[]): Markup {
  return html`<span class="ids"
    >${checks.map((check, index) => html`${index > 0 && ', '}<a href="#${buildAnchor(check)}"><code>${check.id}</code></a>`)}</span
  >`
}

export function renderKnownFailures(checks: readonly CheckEntry[]): Markup {
  const rows = checks.map((check) => [
    html`<code>${check.id}</code>`,
    renderVerdict(check.verdict),
    check.knownFailure ?? check.accepted,
    check.actual,
  ])
  return renderTable(
    'Known failures and accepted gaps',
    [{ heading: 'Check' }, { heading: 'Verdict' }, { heading: 'Reason' }, { heading: 'Behaviour' }],
    rows,
  )
}

export function renderBudgetsAndLatencies({ budgets = [], latency }: ConformanceDocument): Markup {
  const kept = budgets.map(({ metric, statistic, op, limit, unit, actual, n, needed, verdict }) => [
    `${metric}.${statistic} ${op} ${limit} ${unit}`,
    renderVerdict(verdict),
    actual === null ? 'nothing measured' : `${actual} ${unit}`,
    n,
    needed,
  ])
  const times = latency.map(({ operation, figure, n, p50, p90, p99, max, note }) => [
    html`${operation}${note !== undefined && html` <span class="muted">(${note})</span>`}`,
    figure === 'ttft' ? 'time to first token' : 'end to end',
    n,
    ...[p50, p90, p99, max].map((ms) => ms.toFixed(1)),
  ])
  return html`${kept.length > 0 && renderTable('Budgets', [{ heading: 'Budget' }, { heading: 'Verdict' }, { heading: 'Measured', isNumber: true }, { heading: 'Samples', isNumber: true }, { heading: 'Needed', isNumber: true }], kept)}
    <p>
      Times of the requests of this run, in milliseconds, including the connection. Checks run concurrently: this is not
      a load test.
    </p>
    ${renderTable('Latencies by operation', [{ heading: 'Operation' }, { heading: 'Latency' }, ...['Samples', 'p50', 'p90', 'p99', 'max'].map((heading) => ({ heading, isNumber: true }))], times)}`
}
