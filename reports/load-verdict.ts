import { formatWithUnit, nameBudget } from '../common/format-budget.ts'
import { formatCount } from '../common/format-count.ts'
import type { TimedOperation } from '../contract/facts.ts'
import type { LoadDocument, LoadError, LoadFigure, LoadMetricName, LoadVerdict } from './load-document.ts'
import type { LoadBudget } from './load-parts-document.ts'

interface VerdictStyle {
  readonly label: string
  readonly tone: 'good' | 'open' | 'bad'
  /** A higher rank is worse. */
  readonly rank: number
}

export const LOAD_VERDICTS: Readonly<Record<LoadVerdict, VerdictStyle>> = {
  'within-budgets': { label: 'Within budgets', tone: 'good', rank: 0 },
  incomplete: { label: 'Incomplete', tone: 'open', rank: 1 },
  invalid: { label: 'Invalid', tone: 'open', rank: 1 },
  'budget-broken': { label: 'Budget broken', tone: 'bad', rank: 2 },
  'harness-error': { label: 'Harness error', tone: 'bad', rank: 3 },
}

/** Describes a run without requests. If k6 was killed, it may have sent requests whose results are lost. */
export function describeEmptyRun({ verdict }: Pick<LoadDocument, 'verdict'>): string {
  return verdict === 'harness-error' ? 'No request was recorded.' : 'The load sent no request.'
}

/**
 * Returns the sentence of the headline about streams without text. Returns an empty string if there are none, or if the
 * first reason already says so.
 */
export function describeMissingText({ findings, reasons }: LoadDocument): string {
  if (findings[0]?.code === 'streams-without-sample' && findings[0].params['cause'] === 'text') return ''
  return reasons[findings.findIndex(({ code }) => code === 'streams-without-text')] ?? ''
}

/** Describes the verdict of a load run in one or more sentences. */
export function describeLoadVerdict(document: LoadDocument): string {
  const { verdict, budgets, reasons, requests, search } = document
  if (search !== undefined) return reasons.join(' ')
  const sent = formatCount(requests.sent, 'request')
  const broken = budgets.filter((budget) => budget.verdict === 'broken')
  switch (verdict) {
    case 'within-budgets':
      return `The run met ${budgets.length === 1 ? 'its budget' : `all ${budgets.length} budgets`} with ${sent}. ${describeMissingText(document)}`.trimEnd()
    case 'budget-broken':
      return `The run exceeded ${broken.length} of ${formatCount(budgets.length, 'budget')} with ${sent}: ${broken.map(brokenWords).join('; ')}. ${describeMissingText(document)}`.trimEnd()
    case 'incomplete':
    case 'invalid':
    case 'harness-error':
      return reasons.length === 0 ? `The run has no result after ${sent}.` : reasons.join(' ')
  }
}

/** Text that replaces the ITL and the TPOT of streams if each stream arrived in one read. */
export const SINGLE_READ_NOTE = 'each stream arrived in one read, so there are no inter-token latencies'

/** Returns whether the first text of some streams is not their first token, because they show reasoning before. */
export function isTextLater({ ttftMs, textTtftMs }: Readonly<Partial<Record<LoadMetricName, LoadFigure>>>): boolean {
  return textTtftMs !== undefined && (textTtftMs.n !== ttftMs?.n || textTtftMs.histogram !== ttftMs.histogram)
}

/** Returns whether a metric is the ITL or the TPOT, and is always 0, because each stream arrived in a single read. */
export function arrivedInSingleRead(metric: string, { n, max }: LoadFigure): boolean {
  return (metric === 'itlMs' || metric === 'tpotMs') && n > 0 && max === 0
}

/** Names of the metrics, in display order. */
const METRIC_NAMES: Readonly<Record<LoadMetricName, string>> = {
  ttftMs: 'ttft',
  textTtftMs: 'text ttft',
  itlMs: 'itl',
  tpotMs: 'tpot',
  e2eMs: 'e2e',
  startLagMs: 'start lag',
  blockedMs: 'blocked',
  connectingMs: 'connecting',
  tlsMs: 'tls',
}

export interface NamedFigure {
  readonly operation: TimedOperation
  readonly metric: LoadMetricName
  /** Name of the operation and of the metric: `chat-stream ttft`. */
  readonly name: string
  readonly figure: LoadFigure
}

/** Lists the figures of a document in display order. */
export function listFigures({ metrics }: Pick<LoadDocument, 'metrics'>): NamedFigure[] {
  // The casts restore the key types, which Object.entries widens to string.
  const operations = Object.entries(metrics) as [TimedOperation, (typeof metrics)[TimedOperation]][]
  const names = Object.entries(METRIC_NAMES) as [LoadMetricName, string][]
  return operations.flatMap(([operation, figures]) =>
    names.flatMap(([metric, name]) => {
      const figure = figures?.[metric]
      return figure === undefined ? [] : [{ operation, metric, name: `${operation} ${name}`, figure }]
    }),
  )
}

/**
 * Returns the error bound of a statistic such as `p90`. A statistic without a bound of its own, such as the mean, has
 * the bound of `p99`.
 */
export function getReportedErrorBound({ p50Ms, p90Ms, p95Ms, p99Ms, maxMs }: LoadError, statistic: string): number {
  const bounds: Readonly<Record<string, number>> = { p50: p50Ms, p90: p90Ms, p95: p95Ms, max: maxMs }
  return bounds[statistic] ?? p99Ms
}

/** Formats a statistic of a figure with its error bound: `7.53 ± 0.12`. */
export function formatWithError(figure: LoadFigure, statistic: 'p50' | 'p90' | 'p95' | 'p99' | 'max'): string {
  const value = formatNumber(figure[statistic])
  return figure.error === null ? value : `${value} ± ${formatNumber(getReportedErrorBound(figure.error, statistic))}`
}

/** Statistics with an error bound. */
const BOUNDED_STATISTICS: readonly string[] = ['p50', 'p90', 'p95', 'p99', 'max']

/** Fields of the metrics of budgets. */
export const METRIC_FIELDS: Readonly<Record<string, LoadMetricName>> = {
  ttft: 'ttftMs',
  text_ttft: 'textTtftMs',
  itl: 'itlMs',
  tpot: 'tpotMs',
  e2e: 'e2eMs',
  start_lag: 'startLagMs',
}

/**
 * Returns the error bound of the measured value of a latency budget, in milliseconds. Returns null if the bound is
 * unknown, or if the value covers several operations, for which the document contains only separate bounds.
 */
export function findBudgetError({ metrics }: Pick<LoadDocument, 'metrics'>, budget: LoadBudget): number | null {
  const parts = budget.metric.split('.')
  const field = METRIC_FIELDS[parts.at(-1) ?? '']
  const operation = parts.length > 1 ? parts[0] : undefined
  if (field === undefined || operation === 'added' || !BOUNDED_STATISTICS.includes(budget.statistic)) return null
  const figures = Object.entries(metrics).flatMap(([name, figuresOf]) =>
    operation === undefined || operation === name ? (figuresOf[field] ?? []) : [],
  )
  const [figure, ...others] = figures
  if (figure === undefined || others.length > 0 || figure.error === null) return null
  return getReportedErrorBound(figure.error, budget.statistic)
}

/** Formats a budget, such as `ttft.p99 <= 800 ms`. */
export function formatBudget(budget: LoadBudget): string {
  const { op, limit, unit } = budget
  return `${nameBudget(budget)} ${op} ${formatWithUnit(limit, unit)}`
}

export function formatActual({ actual, unit }: LoadBudget): string {
  return actual === null ? 'nothing measured' : formatWithUnit(formatNumber(actual), unit)
}

function brokenWords(budget: LoadBudget): string {
  return `${formatBudget(budget)} was ${formatActual(budget)}`
}

/** Number formats by their fraction digits. Creating one takes longer than its use. */
const FORMATS = [0, 1, 2, 3].map(
  (digits) => new Intl.NumberFormat('en', { maximumFractionDigits: digits, signDisplay: 'negative' }),
)

/** Formats a number with about three significant digits. */
export function formatNumber(value: number): string {
  const size = Math.abs(value)
  const digits = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3
  return FORMATS[digits]?.format(value) ?? ''
}

/** Formats a duration, given in seconds, as seconds, minutes or hours. */
export function formatDuration(seconds: number): string {
  if (seconds < 120) return `${formatNumber(seconds)} s`
  return seconds < 7200 ? `${formatNumber(seconds / 60)} min` : `${formatNumber(seconds / 3600)} h`
}

/** Returns whether the run bounded its own errors, so that it needed no calibration. */
export function hasSampleBounds({ metrics }: LoadDocument): boolean {
  return Object.values(metrics).some((figures) => Object.values(figures).some(({ bounds }) => bounds !== undefined))
}

/**
 * Returns whether a document has an amount of credits. It has none if the target has no credits, or if the
 * specification gives no price for the models or operations of the run and the target has no ledger that the run can
 * read.
 */
export function hasCredits({ credits: { estimate, counted, ledger } }: LoadDocument): boolean {
  return estimate !== null || counted !== null || ledger !== null
}
