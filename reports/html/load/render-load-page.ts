import {
  hasCredits,
  formatDuration,
  LOAD_VERDICTS,
  describeEmptyRun,
  describeLoadVerdict,
  formatNumber,
} from '../../load-verdict.ts'
import type { LoadDocument } from '../../load-document.ts'
import { formatCount } from '../../../common/format-count.ts'
import { calculateRateDurationMs, listThroughput } from '../../throughput.ts'
import { limitPageSize } from '../limit-page-size.ts'
import { html, type HtmlValue, type Markup } from '../markup.ts'
import { type PageSection, renderPage } from '../page.ts'
import { renderCommand, renderFactList, renderKeys, renderProse } from '../elements.ts'
import { renderPercentileCharts } from './percentile-charts.ts'
import { getShownLevel } from '../../search-steps.ts'
import { renderSearch } from './search-charts.ts'
import { renderSeriesCharts } from './series-charts.ts'
import {
  renderResponses,
  renderBudgets,
  renderCredits,
  renderFigures,
  renderRunSettings,
  renderTokens,
  renderUpstream,
  renderViolations,
} from './tables.ts'

/** Renders a load run as one HTML file of less than 2 MB, even if texts of the target are long. */
export function renderLoadPage(document: LoadDocument): string {
  // Renders charts before texts are truncated, because histograms are longer than the maximum length of a text.
  const charts = { percentiles: renderPercentileCharts(document), series: renderSeriesCharts(document) }
  return limitPageSize({ ...document, series: [], metrics: withoutHistograms(document) }, (short) =>
    renderWithin(short, charts),
  )
}

interface Charts {
  readonly percentiles: readonly Markup[]
  readonly series: readonly Markup[]
}

function withoutHistograms({ metrics }: LoadDocument): LoadDocument['metrics'] {
  return Object.fromEntries(
    Object.entries(metrics).map(([operation, figures]) => [
      operation,
      Object.fromEntries(Object.entries(figures).map(([metric, figure]) => [metric, { ...figure, histogram: '' }])),
    ]),
  )
}

function renderWithin(document: LoadDocument, charts: Charts): string {
  const { target, verdict, scenario, tool } = document
  const { label, tone } = LOAD_VERDICTS[verdict]
  return renderPage({
    title: `${label}: ${scenario} on ${target.url}`,
    kind: `Load report: ${scenario}`,
    tone,
    verdict: label,
    sentence: renderProse(describeLoadVerdict(document)),
    facts: renderFacts(document),
    sections: sectionsOf(document, charts),
    madeBy: `${tool.name} ${tool.version}`,
  })
}

function renderFacts(document: LoadDocument): Markup {
  const { target, startedAt, durationMs, profile, arrivals, segment } = document
  return renderFactList([
    [
      'Target',
      html`<strong>${target.url}</strong
        >${target.embedded ? ' (the emulator, started for this run)' : target.isEmulator && ' (an emulator)'}`,
    ],
    [
      'When',
      html`<time datetime="${startedAt}">${startedAt.slice(0, 16).replace('T', ' ')} UTC</time>,
        <span class="nowrap">for ${formatDuration(durationMs / 1000)}</span>`,
    ],
    ['Profile', profile],
    ['Arrivals', arrivals],
    ['Models', [...new Set(Object.values(target.models))].join(', ')],
    ['Keys', Object.keys(target.keys).length > 0 && renderKeys(target.keys)],
    [
      'Part',
      segment !== undefined &&
        ('merged' in segment ? `merged from ${segment.merged}` : `${segment.index + 1} of ${segment.count}`),
    ],
  ])
}

/** A section that the page omits if it is empty. */
type OptionalSection = PageSection & { readonly isEmpty?: boolean }

function sectionsOf(document: LoadDocument, charts: Charts): PageSection[] {
  const isEmpty = document.requests.sent === 0
  return [...overviewSections(document, isEmpty), ...detailSections(document, charts, isEmpty)].filter(
    (section) => section.isEmpty !== true,
  )
}

function overviewSections(document: LoadDocument, isEmpty: boolean): OptionalSection[] {
  return [
    {
      id: 'budgets',
      heading: `Budgets (${document.budgets.length})`,
      isEmpty: document.budgets.length === 0 || isEmpty,
      content: renderBudgets(document),
    },
    {
      id: 'search',
      heading: 'Capacity',
      isEmpty: document.search === undefined,
      content: renderSearch(document),
    },
    {
      id: 'summary',
      heading: 'Summary',
      isCollapsedIfNarrow: document.search !== undefined,
      content: html`${isEmpty ? html`<p>${document.requests.dropped === 0 ? describeEmptyRun(document) : `${describeEmptyRun(document)} ${formatCount(document.requests.dropped, 'planned request')} never started.`}</p>` : tiles(document)}${reasonsOf(document)}${commandOf(document)}`,
    },
    {
      id: 'added',
      heading: 'Added by the gateway',
      isEmpty: document.upstream === undefined,
      content: renderUpstream(document),
      isCollapsedIfNarrow: true,
    },
  ]
}

function detailSections(document: LoadDocument, charts: Charts, isEmpty: boolean): OptionalSection[] {
  const isSearch = document.search !== undefined
  return [
    {
      id: 'percentiles',
      heading: `Latency by percentile${atLevel(document)}`,
      content: html`${charts.percentiles}${bandNote(document)}`,
      isEmpty: charts.percentiles.length === 0,
      isCollapsedIfNarrow: true,
      ...(isSearch && { collapsedAs: 'Charts of the run at this level.' }),
    },
    {
      id: 'figures',
      heading: 'All latencies in milliseconds',
      isEmpty,
      collapsedAs: 'Each percentile with the bound of its error, by operation.',
      content: renderFigures(document),
    },
    {
      id: 'course',
      heading: 'Over time',
      isEmpty: charts.series.length === 0,
      content: charts.series,
      isCollapsedIfNarrow: true,
      ...(isSearch && { collapsedAs: 'Requests and time to first token during the run at this level.' }),
      // The charts of the gateway come first, and the page has at most three screens before a click.
      ...(document.upstream !== undefined && { collapsedAs: 'Requests and time to first token during the run.' }),
    },
    {
      id: 'responses',
      heading: 'Responses',
      isEmpty,
      content: renderResponses(document),
      collapsedAs: describeResponses(document),
    },
    {
      id: 'streams',
      heading: 'Streams and checks of the scenario',
      isEmpty,
      content: renderViolations(document),
      collapsedAs: describeViolations(document),
    },
    {
      id: 'credits',
      heading: 'Credits',
      isEmpty: isEmpty || !hasCredits(document),
      content: html`${renderCredits(document)}${renderTokens(document)}`,
      collapsedAs: 'The estimate, the reported usage and the charge.',
    },
    {
      id: 'tokens',
      heading: 'Tokens',
      isEmpty: isEmpty || hasCredits(document) || Object.keys(document.credits.tokens).length === 0,
      content: renderTokens(document),
      collapsedAs: 'The reported usage by model.',
    },
    {
      id: 'making',
      heading: 'Settings and measurement error',
      content: renderRunSettings(document),
      collapsedAs: 'How the load was generated, and the error of the generator.',
    },
  ]
}

/**
 * Formats the level at which a search measured the figures of its document. Returns an empty string for the document of
 * a single run.
 */
function atLevel({ search }: LoadDocument): string {
  const level = search && getShownLevel(search)
  return level === undefined ? '' : ` at ${level}`
}

function describeResponses({ requests }: LoadDocument): string {
  const { ok, sent, failed, dropped, byStatus, byError } = requests
  const succeeded = `${ok.toLocaleString('en')} of ${sent.toLocaleString('en')} requests succeeded`
  const failures = [
    ...Object.entries(byStatus)
      .filter(([status]) => !status.startsWith('2'))
      .map(([status, count]) => [`status ${status}`, count] as const),
    ...Object.entries(byError),
  ].map(([name, count]) => `${name} (${count.toLocaleString('en')})`)
  const others = [
    ...(failed === 0 ? [] : [`failures: ${failures.join(', ')}`]),
    ...(dropped === 0 ? [] : [`${formatCount(dropped, 'planned request')} never started`]),
  ]
  return `${[succeeded, ...others].join('; ')}.`
}

function describeViolations({ validation }: LoadDocument): string {
  const { streams, violations, checks } = validation
  const violating = violations.reduce((sum, { count }) => sum + count, 0)
  const failed = checks.filter(({ fails }) => fails > 0).length
  const ofStreams =
    streams === 0
      ? ''
      : `${streams.toLocaleString('en')} streams were read event by event; ${violating === 0 ? 'none violated a rule' : `violations: ${violating.toLocaleString('en')}`}.`
  const ofChecks =
    failed > 0
      ? `${failed} of ${checks.length} checks failed.`
      : streams === 0
        ? 'All responses passed the checks of the scenario.'
        : ''
  return [ofStreams, ofChecks].filter((text) => text !== '').join(' ')
}

function bandNote({ metrics }: LoadDocument): Markup {
  const isMeasured = Object.values(metrics).some((figures) =>
    Object.values(figures).some(({ error }) => error !== null),
  )
  return isMeasured
    ? html`<p class="muted">
        The band around a line is the bound of the measurement error at each percentile. An invisible band is narrower
        than the line.
      </p>`
    : html`<p class="muted">The measurement error is unknown.</p>`
}

function tiles(document: LoadDocument): Markup {
  const { requests, goodputPerSecond, validation, credits } = document
  const durationMs = calculateRateDurationMs(document)
  const broken = validation.violations.reduce((sum, { count }) => sum + count, 0)
  const rates = listThroughput(document).slice(1)
  const shown: (readonly [value: string, what: string])[] = [
    [requests.sent.toLocaleString('en'), 'requests sent'],
    [durationMs === 0 ? '–' : formatNumber((1000 * requests.sent) / durationMs), 'requests per second'],
    [requests.failed.toLocaleString('en'), 'failed'],
    [formatNumber(goodputPerSecond), 'goodput per second'],
    ...rates.map(({ label, perSecond }) => [perSecond, `${label} per second`] as const),
    [broken.toLocaleString('en'), `violations in ${validation.streams.toLocaleString('en')} streams`],
    ...(hasCredits(document) ? [[credits.counted ?? 'unknown', 'credits counted'] as const] : []),
  ]
  return html`<ul class="tiles">
      ${shown.map(([value, what]) => html`<li><strong>${value}</strong><span>${what}</span></li>`)}
    </ul>
    ${rates.length > 0 && html`<p class="muted">${rates.map(({ label, note }) => `${label}: ${note}`).join('; ')}</p>`}`
}

/** Renders the reasons for the verdict. Omits the reason that the sentence at the top of the page already states. */
function reasonsOf(document: LoadDocument): HtmlValue {
  const sentence = describeLoadVerdict(document)
  const others = document.reasons.filter((reason) => !sentence.includes(reason))
  return (
    others.length > 0 &&
    html`<ul>
      ${others.map((reason) => html`<li>${renderProse(reason)}</li>`)}
    </ul>`
  )
}

function commandOf({ command }: LoadDocument): HtmlValue {
  return (
    command !== undefined &&
    html`<p>Command that repeats this run:</p>
      ${renderCommand(command, 'Command that repeats this run')}`
  )
}
