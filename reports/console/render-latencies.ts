import { ADDED_COLUMNS, describeAddedBounds, describeForwarding, listAddedLatencyRows } from '../added-latency.ts'
import type { LoadDocument, LoadFigure, LoadMetricName } from '../load-document.ts'
import {
  arrivedInSingleRead,
  getReportedErrorBound,
  hasSampleBounds,
  isTextLater,
  listFigures,
  type NamedFigure,
  SINGLE_READ_NOTE,
} from '../load-verdict.ts'
import { describeSearchCost, listSearchColumns, listSearchRows } from '../search-steps.ts'
import { escapeTerminalText, type TerminalColors } from './terminal-text.ts'

/** Metrics with a measurement error. A run without a successful response has none of them. */
const ERROR_METRICS = ['ttftMs', 'textTtftMs', 'itlMs', 'tpotMs', 'e2eMs'] as const satisfies readonly LoadMetricName[]

/**
 * Renders a table of latencies with their measurement errors, and a line that explains the errors.
 * @param isVerbose whether the table also has the maxima, the phases of a connection and the scheduling delay, and the
 *   error of each statistic in a row of its own; otherwise a row has the largest error of its statistics
 */
export function renderLatencies(document: LoadDocument, paint: TerminalColors, isVerbose: boolean): string[] {
  const { metrics } = document
  const statistics = isVerbose ? STATISTICS : BRIEF_STATISTICS
  const isShown = ({ operation, metric }: NamedFigure): boolean =>
    isVerbose ||
    (metric === 'textTtftMs' ? isTextLater(metrics[operation] ?? {}) : ERROR_METRICS.some((name) => name === metric))
  const rows = listFigures(document)
    .filter((shown) => isShown(shown) && !arrivedInSingleRead(shown.metric, shown.figure))
    .flatMap(({ name, figure }) => {
      const row = [name, String(figure.n), ...statistics.map((statistic) => formatMs(figure[statistic]))]
      return isVerbose ? [[...row, biasCell(figure)], ...errorCells(figure)] : [[...row, errorCell(figure)]]
    })
  if (rows.length === 0) return []
  const pieces = Object.entries(metrics)
    .filter(([, { itlMs }]) => itlMs !== undefined && arrivedInSingleRead('itlMs', itlMs))
    .map(([operation]) => `${operation}: ${SINGLE_READ_NOTE}`)
  const isMeasured = Object.values(metrics).some((figures) => ERROR_METRICS.some((name) => figures[name] !== undefined))
  const largest = isVerbose ? '' : ' The largest error of a row is shown; --verbose shows each.'
  const error = isMeasured ? [paint.dim(`${aboutError(document)}${largest}`)] : []
  return [
    ...renderTable(['', 'n', ...statistics, isVerbose ? 'mean error' : 'error'], rows, paint),
    ...pieces,
    ...error,
  ]
}

/** Renders a table of the latencies that a gateway adds to its upstream, and lines about its requests and streams. */
export function renderAddedLatency({ upstream }: LoadDocument, paint: TerminalColors): string[] {
  if (upstream === undefined) return []
  const rows = listAddedLatencyRows(upstream)
  return [
    ...(rows.length === 0 ? [] : renderTable(['', 'n', ...ADDED_COLUMNS.slice(2)], rows, paint)),
    `upstream: ${escapeTerminalText(upstream.url)}`,
    ...describeForwarding(upstream),
    ...(rows.length === 0 ? [] : [paint.dim(describeAddedBounds(upstream))]),
  ]
}

export function renderSearch({ search }: LoadDocument, paint: TerminalColors): string[] {
  if (search === undefined || search.steps.length === 0) return []
  const cost = describeSearchCost(search)
  const rows = listSearchRows(search).map((cells) => cells.map((cell) => escapeTerminalText(cell)))
  return [
    ...renderTable(listSearchColumns(search), rows, paint),
    ...(cost === undefined ? [] : [escapeTerminalText(cost)]),
  ]
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[], paint: TerminalColors): string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  return [paint.dim(line(head)), ...rows.map(line)]
}

const BRIEF_STATISTICS = ['p50', 'p90', 'p95', 'p99'] as const
const STATISTICS = [...BRIEF_STATISTICS, 'max'] as const

function biasCell({ error }: LoadFigure): string {
  return error === null ? '' : signed(error.biasMs)
}

/** Formats the largest error bound of the statistics of a row. */
function errorCell({ error }: LoadFigure): string {
  return error === null
    ? 'unknown'
    : `±${formatMs(Math.max(...BRIEF_STATISTICS.map((name) => getReportedErrorBound(error, name))))}`
}

/** Builds a row with the error bound of each statistic. Returns an empty list if the error is unknown. */
function errorCells({ error }: LoadFigure): string[][] {
  if (error === null) return []
  return [['  error', '', ...STATISTICS.map((name) => `±${formatMs(getReportedErrorBound(error, name))}`), '']]
}

/** Formats milliseconds with about three significant digits. */
function formatMs(ms: number): string {
  return ms < 10 ? ms.toFixed(2) : ms < 1000 ? ms.toFixed(1) : ms.toFixed(0)
}

function signed(ms: number): string {
  return `${ms < 0 ? '-' : '+'}${formatMs(Math.abs(ms))}`
}

function aboutError(document: LoadDocument): string {
  const { calibration } = document
  if (hasSampleBounds(document)) {
    return 'Measurement error: bounds calculated from the times at which the kernel received the events of this run. The error does not include the network.'
  }
  if (calibration === null)
    return 'No error bound: this system does not report when bytes arrive, and the generator was not calibrated.'
  const { source, joined, unjoined, concurrency } = calibration
  if (source === 'run') {
    const left = unjoined === 0 ? 'all' : `${joined} of`
    return `Error: measured minus recorded by the emulator, for each event of ${left} ${joined + unjoined} responses of this run.`
  }
  return `Error: of this generator at ${concurrency} concurrent requests, over loopback without TLS (${joined} responses). The error does not include the network.`
}
