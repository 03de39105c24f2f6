import { ADDED_STATISTICS, describeAddedBounds, describeForwarding, listAddedLatencyRows } from '../../added-latency.ts'
import type { LoadDocument, LoadMetricName } from '../../load-document.ts'
import type { LoadBudget } from '../../load-parts-document.ts'
import {
  arrivedInSingleRead,
  findBudgetError,
  formatActual,
  formatBudget,
  formatNumber,
  formatWithError,
  getReportedErrorBound,
} from '../../load-verdict.ts'
import { html, type HtmlValue, type Markup } from '../markup.ts'
import { type TableColumn, renderFactList, renderGroupedTable, renderTable, renderVerdict } from '../elements.ts'
import { renderAddedCharts } from './added-charts.ts'
import { CHARTED_METRICS, selectFigures, METRIC_LABELS } from './percentile-charts.ts'

const numbers = (...headings: readonly string[]): TableColumn[] =>
  headings.map((heading) => ({ heading, isNumber: true }))

/** Renders the latency that a gateway adds to its upstream, and what the gateway did with requests and streams. */
export function renderUpstream(document: LoadDocument): HtmlValue {
  const { upstream } = document
  if (upstream === undefined) return undefined
  const rows = listAddedLatencyRows(upstream)
  const columns = [
    { heading: 'Milliseconds' },
    ...numbers('Samples', ...ADDED_STATISTICS),
    { heading: 'p50 and p99 are within' },
  ]
  const charts = renderAddedCharts(document)
  return html`<p>Upstream: <strong>${upstream.url}</strong></p>
    ${rows.length > 0 && renderTable('Latency that the gateway adds', columns, rows)}
    <ul>
      ${describeForwarding(upstream).map((line) => html`<li>${line}</li>`)}
    </ul>
    ${charts.length > 0 && html`<div class="charts">${charts}</div>`}
    ${rows.length > 0 && html`<p class="muted">${describeAddedBounds(upstream)}</p>`}`
}

export function renderBudgets(document: LoadDocument): Markup {
  const rows = document.budgets.map((budget) => [
    html`<code>${formatBudget(budget)}</code>`,
    formatMeasured(document, budget),
    renderVerdict(budget.verdict),
    budget.n.toLocaleString('en'),
    budget.needed.toLocaleString('en'),
  ])
  return renderTable(
    'Budgets with measured values',
    [{ heading: 'Budget' }, ...numbers('Measured'), { heading: 'Verdict' }, ...numbers('Samples', 'Needed')],
    rows,
  )
}

/** Formats the measured value of a budget with its error bound, such as `7.53 ± 4.17 ms`. */
function formatMeasured(document: LoadDocument, budget: LoadBudget): string {
  const errorMs = budget.actual === null ? null : findBudgetError(document, budget)
  return budget.actual === null || errorMs === null
    ? formatActual(budget)
    : `${formatNumber(budget.actual)} ± ${formatNumber(errorMs)} ${budget.unit}`
}

const STATISTICS = ['p50', 'p90', 'p95', 'p99', 'max'] as const

/** Renders a table of all metrics with their percentiles and the error bound of each percentile. */
export function renderFigures(document: LoadDocument): Markup {
  // The cast restores the key type, which Object.entries widens to string.
  const labels = Object.entries(METRIC_LABELS) as [LoadMetricName, string][]
  const groups = labels.map(([metric, heading]) => ({
    heading,
    rows: selectFigures(document, metric)
      .filter(({ figure }) => !arrivedInSingleRead(metric, figure))
      .map(({ operation, figure }) => [
        operation,
        figure.n.toLocaleString('en'),
        ...[figure.min, figure.mean].map(formatNumber),
        ...STATISTICS.map((statistic) => formatWithError(figure, statistic)),
        figure.error === null ? 'not measured' : formatNumber(figure.error.biasMs),
      ]),
  }))
  return renderGroupedTable(
    'Latencies in milliseconds',
    [{ heading: 'Operation' }, ...numbers('Samples', 'min', 'mean', 'p50', 'p90', 'p95', 'p99', 'max', 'Mean error')],
    groups.filter(({ rows }) => rows.length > 0),
  )
}

export function renderResponses({ requests }: LoadDocument): Markup {
  const { planned, sent, ok, dropped, failed, aborted, byStatus, byError, byOperation } = requests
  const share = (count: number): string => (sent === 0 ? '' : `${formatNumber((100 * count) / sent)} %`)
  const rows: HtmlValue[][] = [
    ...Object.entries(byStatus).map(([status, count]) => [
      `status ${status}`,
      count.toLocaleString('en'),
      share(count),
    ]),
    ...Object.entries(byError).map(([error, count]) => [error, count.toLocaleString('en'), share(count)]),
  ]
  const operations = Object.entries(byOperation).map(([operation, counts]) => [
    operation,
    ...[counts.sent, counts.ok, counts.failed, counts.aborted, counts.good].map((count) => count.toLocaleString('en')),
  ])
  return html`${renderFactList([
    ['Planned', planned?.toLocaleString('en') ?? 'no fixed number'],
    ['Sent', sent.toLocaleString('en')],
    ['Ok', ok.toLocaleString('en')],
    ['Failed', failed.toLocaleString('en')],
    ['Never started', dropped.toLocaleString('en')],
    ['Aborted on purpose', aborted.toLocaleString('en')],
  ])}
  ${renderTable('Responses by status, and requests without a response by error', [{ heading: 'Response' }, ...numbers('Requests', 'Share')], rows)}
  ${operations.length > 0 && renderTable('By operation', [{ heading: 'Operation' }, ...numbers('Sent', 'Ok', 'Failed', 'Aborted', 'Met every budget')], operations)}`
}

/**
 * Renders the cost of the run: the estimate, the cost according to `usage`, and the credits that the emulator charged.
 */
export function renderCredits({ credits }: LoadDocument): Markup {
  const { estimate, counted, ledger, note } = credits
  const rows = [
    ['Estimated maximum, before the run', estimate ?? 'the specification has no price for this scenario'],
    ['Counted during the run, from usage', counted ?? 'unknown'],
    ["Charged by the emulator's ledger", ledger ?? 'not the emulator'],
  ]
  return html`${renderTable('Credits', [{ heading: 'When' }, ...numbers('Credits')], rows)}
  ${note !== undefined && html`<p class="muted">${note}</p>`}`
}

/** Renders the tokens that the responses report. Returns empty markup if they report none. */
export function renderTokens({ credits }: LoadDocument): Markup {
  const used = Object.entries(credits.tokens).map(([model, { prompt, completion }]) => [
    model,
    prompt.toLocaleString('en'),
    completion.toLocaleString('en'),
  ])
  return html`${used.length > 0 && renderTable('Tokens by model', [{ heading: 'Model' }, ...numbers('Prompt', 'Completion')], used)}`
}

export function renderViolations({ validation }: LoadDocument): Markup {
  const { streams, violations, checks } = validation
  const found = violations.map(({ kind, count, example }) => [
    kind,
    count.toLocaleString('en'),
    html`<code>${example}</code>`,
  ])
  const scenarioChecks = checks.map(({ name, passes, fails }) => [
    name,
    passes.toLocaleString('en'),
    fails.toLocaleString('en'),
    claimMark(passes, fails),
  ])
  return html`<p>
      ${streams.toLocaleString('en')} streams were read event by event.
      ${found.length === 0 && 'No stream violated a rule.'}
    </p>
    ${found.length > 0 && renderTable('Violations in streams', [{ heading: 'Violation' }, ...numbers('Streams'), { heading: 'Example' }], found)}
    ${scenarioChecks.length > 0 && renderTable('Checks of the scenario', [{ heading: 'Check' }, ...numbers('Passed', 'Failed'), { heading: 'Verdict' }], scenarioChecks)}`
}

function claimMark(passes: number, fails: number): Markup {
  if (fails > 0) return renderVerdict('fail')
  return passes > 0 ? renderVerdict('pass') : renderVerdict('never ran', 'not-testable')
}

export function renderRunSettings({ settings, calibration }: LoadDocument): Markup {
  const given = Object.entries(settings).map(([name, value]) => [html`<code>${name}</code>`, String(value)])
  return html`${calibration !== null && renderCalibration(calibration)}
  ${given.length > 0 && renderTable('Settings of the run', [{ heading: 'Setting' }, { heading: 'Value' }], given)}`
}

function renderCalibration({
  source,
  concurrency,
  joined,
  unjoined,
  profiles,
  figures,
}: NonNullable<LoadDocument['calibration']>): Markup {
  const rows = CHARTED_METRICS.flatMap((metric) => {
    const figure = figures[metric]
    return figure === undefined
      ? []
      : [
          [
            METRIC_LABELS[metric],
            figure.n.toLocaleString('en'),
            formatNumber(figure.biasMs),
            ...STATISTICS.map((statistic) => formatNumber(getReportedErrorBound(figure, statistic))),
          ],
        ]
  })
  const basis =
    source === 'run'
      ? 'Measured values compared with the record of the emulator in this run.'
      : 'Measured against a server on this machine, over loopback without TLS. This is the error of the generator, not of the network.'
  return html`<p>
      ${basis} ${joined.toLocaleString('en')} responses were joined with their record, ${unjoined.toLocaleString('en')}
      could not be joined; up to ${concurrency} concurrent
      requests${profiles.length > 0 && `; profiles ${profiles.join(', ')}`}.
    </p>
    ${renderTable('Error bounds in milliseconds', [{ heading: 'Figure' }, ...numbers('Samples', 'Mean error', 'p50', 'p90', 'p95', 'p99', 'max')], rows)}`
}
