import { formatVerdict } from '../../compare/describe-comparison.ts'
import type { HistoryRun, RunHistory } from '../../history/build-history.ts'
import { formatDuration, formatNumber } from '../../load-verdict.ts'
import { type ChartLine, renderLineChart } from '../charts/line-chart.ts'
import { limitPageSize } from '../limit-page-size.ts'
import { html, type HtmlValue, type Markup } from '../markup.ts'
import { METRIC_LABELS } from '../load/percentile-charts.ts'
import { renderPage } from '../page.ts'
import { renderDetails, renderLongTable, renderNarrowDetails, renderVerdict } from '../elements.ts'

/** Maximum number of groups of runs that are not collapsed. */
const MAX_EXPANDED_HISTORIES = 3

/** Maximum number of charts of a group that are visible without a click. */
const MAX_LISTED_CHARTS = 3

/** Maximum number of runs of a group that are visible without a click. */
const MAX_LISTED_RUNS = 6

const GOOD: ReadonlySet<string> = new Set(['conformant', 'within-budgets'])

/** Verdicts of runs without a result. */
const OPEN: ReadonlySet<string> = new Set(['incomplete', 'invalid'])

/** Renders the verdicts and percentiles of several runs over time as one HTML file of less than 2 MB. */
export function renderHistoryPage(histories: readonly RunHistory[], madeBy: string): string {
  return limitPageSize(histories, (short) => renderWithin(short, madeBy))
}

function renderWithin(histories: readonly RunHistory[], madeBy: string): string {
  const runs = histories.flatMap((history) => history.runs)
  const last = histories.map((history) => history.runs.at(-1)?.verdict ?? '')
  const good = last.filter((verdict) => GOOD.has(verdict)).length
  return renderPage({
    title: `History of ${runs.length} runs`,
    kind: 'History of runs',
    tone: good === last.length ? 'good' : good === 0 ? 'bad' : 'open',
    verdict: describeLastRuns(good, last.length),
    sentence: `${runs.length} runs, grouped by target and scenario. Each table starts with the newest run.`,
    sections: problemsFirst(histories).map((history, index) => ({
      id: `history-${index + 1}`,
      heading: history.title,
      content: html`${renderRuns(history)}${renderPercentiles(renderCharts(history, index))}`,
      ...(index >= MAX_EXPANDED_HISTORIES
        ? { collapsedAs: describeHistory(history) }
        : { isCollapsedIfNarrow: index > 0 }),
    })),
    madeBy,
  })
}

function problemsFirst(histories: readonly RunHistory[]): RunHistory[] {
  const isGood = ({ runs }: RunHistory): boolean => GOOD.has(runs.at(-1)?.verdict ?? '')
  return histories.toSorted((a, b) => Number(isGood(a)) - Number(isGood(b)))
}

function describeHistory({ runs }: RunHistory): string {
  const last = runs.at(-1)
  return last === undefined
    ? ''
    : `${runs.length} ${runs.length === 1 ? 'run' : 'runs'}; last: ${formatVerdict(last.verdict)}, ${dayAndTime(last)}.`
}

function renderPercentiles(charts: readonly Markup[]): HtmlValue {
  if (charts.length === 0) return undefined
  const others = charts.slice(MAX_LISTED_CHARTS)
  return html`${renderNarrowDetails('Percentiles over time', html`<div class="charts">${charts.slice(0, MAX_LISTED_CHARTS)}</div>`)}
  ${others.length > 0 && renderDetails(`Show ${others.length} more ${others.length === 1 ? 'chart' : 'charts'}`, html`<div class="charts">${others}</div>`)}`
}

function describeLastRuns(good: number, histories: number): string {
  if (histories === 1) return good === 1 ? 'The last run succeeded' : 'The last run did not succeed'
  return `The last run succeeded in ${good} of ${histories} groups`
}

function renderRuns({ title, runs }: RunHistory): Markup {
  const headings = [...new Set(runs.flatMap(({ counts }) => Object.keys(counts)))]
  return renderLongTable(
    title,
    [
      ...['Started', 'Duration', 'Run', 'Verdict', 'Reason'].map((heading) => ({ heading })),
      ...headings.map((heading) => ({ heading, isNumber: true })),
    ],
    runs
      .toReversed()
      .map((run) => [
        dayAndTime(run),
        formatDuration(run.durationMs / 1000),
        run.kind,
        renderVerdict(run.verdict, GOOD.has(run.verdict) ? 'pass' : OPEN.has(run.verdict) ? 'warn' : 'fail'),
        run.reason,
        ...headings.map((heading) => formatNumber(run.counts[heading] ?? 0)),
      ]),
    MAX_LISTED_RUNS,
  )
}

function renderCharts({ runs }: RunHistory, index: number): Markup[] {
  const [first, last] = [runs[0], runs.at(-1)]
  if (first === undefined || last === undefined || runs.length < 2) return []
  const names = [...new Set(runs.flatMap(({ percentilesMs }) => Object.keys(percentilesMs)))]
  const byFigure = [...Map.groupBy(names, (name) => name.replace(/\.[^.]+$/, ''))]
  return byFigure.map(([figure, members], slot) =>
    renderLineChart({
      id: `history-${index + 1}-${slot + 1}`,
      title: titleOf(figure),
      description: `${figure} of ${runs.length} runs, in milliseconds: ${members.map((name) => `${name}: first ${describe(first, name)}, last ${describe(last, name)}`).join('; ')}.`,
      xLabel: 'run',
      yLabel: 'milliseconds',
      xTicks: [
        { x: 0, label: timeOf(first) },
        { x: runs.length - 1, label: timeOf(last) },
      ],
      lines: members.map((name, line): ChartLine => ({
        name: name.split('.').at(-1) ?? name,
        slot: line,
        points: runs.map((run, x) => ({
          x,
          y: run.percentilesMs[name] ?? null,
          tooltip: `${name}, ${dayAndTime(run)}: ${describe(run, name)}`,
        })),
      })),
    }),
  )
}

function titleOf(figure: string): string {
  const [operation = figure, metric = ''] = figure.split('.')
  // Conformance runs call the end-to-end latency `total`.
  const label = Object.entries(METRIC_LABELS).find(([name]) => name === `${metric === 'total' ? 'e2e' : metric}Ms`)?.[1]
  return label === undefined ? figure : `${label}, ${operation}`
}

function describe({ percentilesMs }: HistoryRun, name: string): string {
  const value = percentilesMs[name]
  return value === undefined ? 'not measured' : `${formatNumber(value)} ms`
}

function timeOf({ startedAt }: Pick<HistoryRun, 'startedAt'>): string {
  return startedAt.slice(0, 16).replace('T', ' ')
}

function dayAndTime(run: Pick<HistoryRun, 'startedAt'>): string {
  return `${timeOf(run)} UTC`
}
