import type { LoadDocument } from '../load-document.ts'
import type { LoadBudget } from '../load-parts-document.ts'
import {
  describeEmptyRun,
  describeMissingText,
  findBudgetError,
  formatNumber,
  hasCredits,
  LOAD_VERDICTS,
} from '../load-verdict.ts'
import { listThroughput } from '../throughput.ts'
import { getShownLevel } from '../search-steps.ts'
import { renderAddedLatency, renderLatencies, renderSearch } from './render-latencies.ts'
import { formatWithUnit, nameBudget } from '../../common/format-budget.ts'
import { formatCount } from '../../common/format-count.ts'
import { createTerminalColors, type TerminalColors, escapeTerminalText } from './terminal-text.ts'

export interface RenderLoadOptions {
  readonly hasColor: boolean
  /** Whether to show all latencies, and the error of each statistic. Default: false. */
  readonly isVerbose?: boolean
}

export function renderLoad(document: LoadDocument, { hasColor, isVerbose = false }: RenderLoadOptions): string {
  const paint = createTerminalColors(hasColor)
  const { requests, durationMs, findings, reasons, search, verdict } = document
  const isEmpty = requests.sent === 0
  const level = search && getShownLevel(search)
  const textReason = reasons[findings.findIndex(({ code }) => code === 'streams-without-text')]
  const hasReasonInHeadline = verdict !== 'within-budgets' || search !== undefined
  return [
    headline(document, paint),
    ...reasons
      .slice(hasReasonInHeadline ? 1 : 0)
      .filter((reason) => reason !== textReason)
      .map((reason) => `  ${escapeTerminalText(reason)}`),
    ...section('Levels, latencies in milliseconds', renderSearch(document, paint), paint),
    ...(search === undefined ? [] : ['']),
    ...(level === undefined ? [] : [paint.bold(`At ${level}`)]),
    isEmpty && requests.dropped === 0
      ? describeEmptyRun(document)
      : `${formatCount(requests.sent, 'request')} in ${(durationMs / 1000).toFixed(1)} s: ${outcomes(document, paint)}`,
    ...section('Budgets', isEmpty ? [] : budgetLines(document, paint), paint),
    ...section('Per second', throughputLines(document), paint),
    ...section('Milliseconds', renderLatencies(document, paint, isVerbose), paint),
    ...section('Added by the gateway, milliseconds', renderAddedLatency(document, paint), paint),
    ...section('Responses', formatResponseLines(document, paint), paint),
    ...section('Credits', isEmpty || !hasCredits(document) ? [] : creditLines(document), paint),
    '',
  ].join('\n')
}

const COLORS = { good: 'green', open: 'yellow', bad: 'red' } as const

function headline(document: LoadDocument, paint: TerminalColors): string {
  const { verdict, target, scenario, profile, budgets, reasons, segment, search } = document
  const { label, tone } = LOAD_VERDICTS[verdict]
  const whose = target.embedded ? ' (the emulator, started for this run)' : target.isEmulator ? ' (an emulator)' : ''
  const segments =
    segment === undefined
      ? ''
      : 'merged' in segment
        ? `, ${formatCount(segment.merged, 'segment')} merged`
        : `, segment ${segment.index + 1} of ${segment.count}`
  const load =
    search === undefined && profile !== 'by hand'
      ? `profile ${escapeTerminalText(profile)}`
      : escapeTerminalText(profile)
  // A run that ends before it starts the emulator has no address.
  const place = target.url === '' ? '' : ` at ${escapeTerminalText(target.url)}${whose}`
  const what = `${escapeTerminalText(scenario)} (${load}${segments})${place}`
  const why =
    verdict === 'within-budgets' && search === undefined
      ? `met ${budgets.length === 1 ? 'its budget' : `all ${budgets.length} budgets`}.`
      : escapeTerminalText(reasons[0] ?? '')
  const missingText = describeMissingText(document)
  const rest = why.includes(missingText) ? '' : ` ${escapeTerminalText(missingText)}`
  return `${paint.bold(paint[COLORS[tone]](label.toUpperCase()))}  ${what}: ${why}${rest}`
}

function outcomes({ requests, goodputPerSecond }: LoadDocument, paint: TerminalColors): string {
  const { ok, failed, aborted, dropped } = requests
  return [
    paint.green(`${ok} ok`),
    failed === 0 ? '0 failed' : paint.red(`${failed} failed`),
    ...(aborted === 0 ? [] : [`${aborted} aborted on purpose`]),
    ...(dropped === 0 ? [] : [paint.red(`${formatCount(dropped, 'planned request')} never started`)]),
    `goodput ${goodputPerSecond}/s`,
  ].join(' · ')
}

function section(title: string, lines: readonly string[], paint: TerminalColors): string[] {
  return lines.length === 0 ? [] : ['', paint.bold(title), ...lines.map((line) => `  ${line}`)]
}

function throughputLines(document: LoadDocument): string[] {
  const rows = listThroughput(document)
  const [labels, values] = [rows.map(({ label }) => label.length), rows.map(({ perSecond }) => perSecond.length)]
  return rows.map(({ label, perSecond, note }) =>
    `${label.padEnd(Math.max(...labels))}  ${perSecond.padStart(Math.max(...values))}  ${note}`.trimEnd(),
  )
}

function budgetLines(document: LoadDocument, paint: TerminalColors): string[] {
  const width = Math.max(0, ...document.budgets.map(({ verdict }) => verdict.length))
  return document.budgets.map((budget) => budgetLine(budget, findBudgetError(document, budget), width, paint))
}

function budgetLine(budget: LoadBudget, errorMs: number | null, width: number, paint: TerminalColors): string {
  const { op, limit, unit, actual, n, needed, verdict } = budget
  const style = verdict === 'within' ? paint.green : verdict === 'broken' ? paint.red : paint.yellow
  const error = errorMs === null ? '' : ` ± ${formatNumber(errorMs)} ms`
  const seen = actual === null ? 'nothing measured' : `${formatWithUnit(actual, unit)}${error}, n = ${n}`
  const want = verdict === 'insufficient samples' ? ` (needs ${needed})` : ''
  return `${style(verdict.padEnd(width))}  ${escapeTerminalText(nameBudget(budget))} ${op} ${formatWithUnit(limit, unit)}: ${seen}${want}`
}

function formatResponseLines({ requests, validation, target }: LoadDocument, paint: TerminalColors): string[] {
  const statuses = Object.entries(requests.byStatus).map(
    ([status, count]) => `status ${escapeTerminalText(status)}: ${count}`,
  )
  const errors = Object.entries(requests.byError).map(([error, count]) => `${escapeTerminalText(error)}: ${count}`)
  const seen = [...statuses, ...errors]
  const { streams, violations, checks } = validation
  const style = target.isEmulator ? paint.red : paint.yellow
  return [
    ...(seen.length === 0 ? [] : [seen.join(' · ')]),
    ...(streams === 0
      ? []
      : [`${formatCount(streams, 'stream')} checked${violations.length === 0 ? ': no violations' : ''}`]),
    ...checks
      .filter(({ fails }) => fails > 0)
      .map(({ name, passes, fails }) =>
        paint.red(escapeTerminalText(`failed: ${name} (${fails} of ${passes + fails})`)),
      ),
    ...violations.map(({ kind, count, example }) =>
      style(escapeTerminalText(`${target.isEmulator ? 'wrong' : 'warning'}: ${kind} × ${count}: ${example}`)),
    ),
  ]
}

/** Maximum length of the note on credits, which consists of several sentences. */
const MAX_NOTE_CHARACTERS = 2000

function creditLines({ credits }: LoadDocument): string[] {
  const { estimate, counted: used, ledger, note } = credits
  const rows = [
    { name: 'estimate', amount: estimate, meaning: 'at most, calculated before the run' },
    { name: 'counted', amount: used, meaning: 'tokens that the responses report, at the prices of the specification' },
    { name: 'ledger', amount: ledger, meaning: 'charged by the emulator' },
  ].flatMap(({ name, amount, meaning }) => (amount === null ? [] : [{ name, amount, meaning }]))
  const width = Math.max(0, ...rows.map(({ amount }) => amount.length))
  return [
    ...rows.map(
      ({ name, amount, meaning }) => `${name.padEnd(8)}  ${escapeTerminalText(amount).padStart(width)}  ${meaning}`,
    ),
    ...(note === undefined ? [] : [escapeTerminalText(note, MAX_NOTE_CHARACTERS)]),
  ]
}
