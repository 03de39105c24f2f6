import { nameMetric, sortMetrics } from '../console/render-latencies.ts'
import { ADDED_STATISTICS, describeForwarding, listAddedLatencyRows } from '../added-latency.ts'
import {
  hasCredits,
  arrivedInSingleRead,
  getReportedErrorBound,
  formatActual,
  formatBudget,
  formatDuration,
  LOAD_VERDICT_LABELS,
  describeEmptyRun,
  describeLoadVerdict,
  describeMissingText,
  formatNumber,
} from '../load-verdict.ts'
import type { LoadDocument, LoadVerdict } from '../load-document.ts'
import { listThroughput } from '../throughput.ts'
import { describeSearchCost, listSearchColumns, listSearchRows } from '../search-steps.ts'
import type { MarkdownSection } from './conformance-sections.ts'
import { formatCode, renderMarkdownTable, escapeProse } from './escape.ts'

const MARKS: Readonly<Record<LoadVerdict, string>> = {
  'within-budgets': '✅',
  'budget-broken': '❌',
  incomplete: '🟡',
  invalid: '🟡',
  'harness-error': '❌',
}

/** Renders a load run as Markdown sections, most important first. */
export function renderLoadSections(document: LoadDocument): MarkdownSection[] {
  if (document.requests.sent === 0) return [head(document)]
  return [
    head(document),
    ...search(document),
    ...budgets(document),
    ...figures(document),
    ...addedLatency(document),
    ...violations(document),
    ...checks(document),
    ...(hasCredits(document) ? [money(document)] : []),
  ]
}

function head(document: LoadDocument): MarkdownSection {
  const { verdict, scenario, target, requests, goodputPerSecond, durationMs, reasons, profile, arrivals, command } =
    document
  return {
    head: [
      `## ${MARKS[verdict]} ${LOAD_VERDICT_LABELS[verdict]}: ${formatCode(scenario)} on ${formatCode(target.url)}`,
      '',
      escapeProse(describeLoadVerdict(document), 2000),
      '',
    ],
    lines: [
      requests.sent + requests.dropped === 0
        ? describeEmptyRun(document)
        : `${requests.sent} sent · ${requests.ok} ok · ${requests.failed} failed · ${requests.dropped} never started · goodput ${formatNumber(goodputPerSecond)} per second`,
      '',
      ...reasons
        .filter((reason) => reason !== describeMissingText(document))
        .map((reason) => `- ${escapeProse(reason)}`),
      ...listThroughput(document)
        .slice(1)
        .map(({ label, perSecond, note }) => `- ${label}: ${perSecond} per second, ${escapeProse(note)}`),
      ...(command === undefined ? [] : [`- run it again: ${formatCode(command, 1500)}`, '']),
      `<sub>profile ${escapeProse(profile)}, arrivals ${escapeProse(arrivals)}, ${formatDuration(durationMs / 1000)}</sub>`,
    ],
  }
}

function search({ search }: LoadDocument): MarkdownSection[] {
  if (search === undefined || search.steps.length === 0) return []
  const cost = describeSearchCost(search)
  return [
    {
      head: ['### Levels, latencies in milliseconds', ''],
      lines: [
        ...renderMarkdownTable(listSearchColumns(search), listSearchRows(search)),
        ...(cost === undefined ? [] : ['', escapeProse(cost)]),
        '',
      ],
    },
  ]
}

function budgets({ budgets }: LoadDocument): MarkdownSection[] {
  if (budgets.length === 0) return []
  const rows = budgets.map((budget) => [
    formatCode(formatBudget(budget)),
    budget.verdict,
    formatActual(budget),
    String(budget.n),
  ])
  return [{ head: ['### Budgets', ''], lines: renderMarkdownTable(['budget', 'verdict', 'measured', 'samples'], rows) }]
}

function figures({ metrics }: LoadDocument): MarkdownSection[] {
  const rows = Object.entries(metrics).flatMap(([operation, figures]) =>
    sortMetrics(Object.entries(figures))
      .filter(([metric, figure]) => !arrivedInSingleRead(metric, figure))
      .map(([metric, { n, p50, p90, p99, max, error }]) => [
        `${operation} ${nameMetric(metric)}`,
        String(n),
        ...Object.entries({ p50, p90, p99, max }).map(([statistic, value]) =>
          error === null
            ? formatNumber(value)
            : `${formatNumber(value)} ± ${formatNumber(getReportedErrorBound(error, statistic))}`,
        ),
      ]),
  )
  if (rows.length === 0) return []
  const headings = ['milliseconds', 'samples', 'p50', 'p90', 'p99', 'max']
  return [{ head: ['### Times', ''], lines: renderMarkdownTable(headings, rows) }]
}

function addedLatency({ upstream }: LoadDocument): MarkdownSection[] {
  if (upstream === undefined) return []
  const rows = listAddedLatencyRows(upstream).map(({ label, n, values, bounds }) => [
    label,
    String(n),
    ...values,
    bounds,
  ])
  const headings = ['milliseconds', 'samples', ...ADDED_STATISTICS, 'p50 and p99 are within']
  return [
    {
      head: ['### Added by the gateway', '', `Upstream: ${formatCode(upstream.url)}`, ''],
      lines: [
        ...(rows.length === 0 ? [] : [...renderMarkdownTable(headings, rows), '']),
        ...describeForwarding(upstream).map((line) => `- ${escapeProse(line)}`),
        '',
      ],
    },
  ]
}

function violations({ validation }: LoadDocument): MarkdownSection[] {
  if (validation.violations.length === 0) return []
  const rows = validation.violations.map(({ kind, count, example }) => [
    formatCode(kind),
    String(count),
    formatCode(example, 200),
  ])
  return [
    {
      head: [`### Violations in ${validation.streams} streams`, ''],
      lines: renderMarkdownTable(['what', 'streams', 'example'], rows),
    },
  ]
}

function checks({ validation }: LoadDocument): MarkdownSection[] {
  const rows = validation.checks
    .filter(({ passes, fails }) => fails > 0 || passes === 0)
    .map(({ name, passes, fails }) => [
      formatCode(name),
      fails > 0 ? `❌ ${fails} of ${passes + fails} times` : 'never ran',
    ])
  return rows.length === 0
    ? []
    : [
        {
          head: ['### Checks that failed or never ran', ''],
          lines: renderMarkdownTable(['claim', ''], rows),
        },
      ]
}

function money({ credits }: LoadDocument): MarkdownSection {
  const { estimate, counted, ledger } = credits
  const row = [estimate, counted, ledger].map((amount) => (amount === null ? '–' : escapeProse(amount)))
  return { head: ['### Credits', ''], lines: renderMarkdownTable(['estimate, at most', 'counted', 'ledger'], [row]) }
}
