import { ADDED_COLUMNS, describeForwarding, listAddedLatencyRows } from '../added-latency.ts'
import {
  arrivedInSingleRead,
  hasCredits,
  formatWithError,
  formatActual,
  formatBudget,
  formatDuration,
  LOAD_VERDICTS,
  describeEmptyRun,
  describeLoadVerdict,
  describeMissingText,
  formatNumber,
  listFigures,
} from '../load-verdict.ts'
import type { LoadDocument } from '../load-document.ts'
import { listThroughput } from '../throughput.ts'
import { describeSearchCost, listSearchColumns, listSearchRows } from '../search-steps.ts'
import type { MarkdownSection } from './conformance-sections.ts'
import { formatCode, renderMarkdownTable, escapeProse } from './escape.ts'

const MARKS = { good: '✅', open: '🟡', bad: '❌' } as const

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
  const { label, tone } = LOAD_VERDICTS[verdict]
  return {
    head: [
      `## ${MARKS[tone]} ${label}: ${formatCode(scenario)} on ${formatCode(target.url)}`,
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

function figures(document: LoadDocument): MarkdownSection[] {
  const rows = listFigures(document)
    .filter(({ metric, figure }) => !arrivedInSingleRead(metric, figure))
    .map(({ name, figure }) => [
      name,
      String(figure.n),
      ...(['p50', 'p90', 'p99', 'max'] as const).map((statistic) => formatWithError(figure, statistic)),
    ])
  if (rows.length === 0) return []
  const headings = ['milliseconds', 'samples', 'p50', 'p90', 'p99', 'max']
  return [{ head: ['### Times', ''], lines: renderMarkdownTable(headings, rows) }]
}

function addedLatency({ upstream }: LoadDocument): MarkdownSection[] {
  if (upstream === undefined) return []
  const rows = listAddedLatencyRows(upstream)
  return [
    {
      head: ['### Added by the gateway', '', `Upstream: ${formatCode(upstream.url)}`, ''],
      lines: [
        ...(rows.length === 0 ? [] : [...renderMarkdownTable(ADDED_COLUMNS, rows), '']),
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
