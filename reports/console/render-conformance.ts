import { formatCount } from '../../common/format-count.ts'
import { formatSection, formatSource } from '../../contract/sections.ts'
import type { CheckEntry, ConformanceDocument, RunVerdict } from '../conformance-document.ts'
import { describeCheckCount, listCauses } from '../causes.ts'
import {
  buildHeadline,
  describeTarget,
  isExemptCheck,
  isKnownFailure,
  selectCountedChecks,
  describeIncompleteReason,
} from '../conformance-verdict.ts'
import { isGatewayRun, listRuns } from '../gateway-run.ts'
import { listPolicies } from '../policies.ts'
import {
  renderBudgetsAndRemarks,
  renderHeadlineRemarks,
  renderChecksWithReasons,
  renderDifferences,
} from './render-budgets-and-remarks.ts'
import { renderCauses, renderReasons } from './render-causes.ts'
import {
  createTerminalColors,
  escapeTerminalText,
  MAX_COMMAND_CHARACTERS,
  type TerminalColors,
} from './terminal-text.ts'
import { formatQuote } from '../format-quote.ts'

export interface RenderConformanceOptions {
  readonly hasColor: boolean
  /** Exit code of the run. An incomplete run exits with 0 only if the user accepted its gaps. */
  readonly exitCode: number
  /** Whether to show every failure and warning in addition to the causes. */
  readonly isVerbose?: boolean
}

/** Renders a run for a terminal: the verdict and the causes, on the specification and then on the gateway. */
export function renderConformance(document: ConformanceDocument, options: RenderConformanceOptions): string {
  const paint = createTerminalColors(options.hasColor)
  const runs = listRuns(document)
  const lines = runs.flatMap((run, index) => [...(index === 0 ? [] : ['']), ...renderRun(run, options, paint)])
  const isHintNeeded = options.isVerbose !== true && runs.some((run) => hasTested(run) && hasFindings(run))
  const hint = isHintNeeded ? ['', paint.dim(HINT)] : []
  return [...lines, ...hint, ...repeatVerdicts(lines.length + hint.length, runs, paint), ''].join('\n')
}

function renderRun(
  document: ConformanceDocument,
  options: RenderConformanceOptions,
  paint: TerminalColors,
): readonly string[] {
  const { problem } = document.target
  const problemLines = (problem?.split('\n') ?? []).map((line) => escapeTerminalText(line))
  if (problem !== undefined && !hasTested(document)) {
    return [...problemLines, `${headline(document, paint)}  nothing was tested`]
  }
  const isVerbose = options.isVerbose === true
  // The reasons of an incomplete run follow its headline immediately.
  const isTableOmitted =
    isGatewayRun(document) || (!isVerbose && (hasFindings(document) || document.verdict === 'incomplete'))
  return [
    `${headline(document, paint)}  ${escapeTerminalText(describeTarget(document))}${findingCounts(document)}`,
    ...problemLines.map((line) => paint.red(line)),
    ...incompleteLines(document, paint),
    ...renderHeadlineRemarks(document, paint),
    ...facts(document, options),
    ...(isTableOmitted ? [] : ['', ...sectionLines(document, paint)]),
    ...causeLines(document, paint),
    ...renderNotPlanned(document, paint),
    ...(isGatewayRun(document) ? policyLines(document, paint) : observedLines(document, paint)),
    ...renderDifferences(document, paint),
    ...renderChecksWithReasons('Accepted as not testable', document.checks, ({ accepted }) => accepted, paint),
    ...renderChecksWithReasons(
      'Known failures',
      document.checks.filter(isKnownFailure),
      ({ knownFailure }) => knownFailure,
      paint,
    ),
    ...(isVerbose ? findingLines(document, paint) : []),
    ...renderBudgetsAndRemarks(document, paint),
  ]
}

function hasFindings({ summary }: ConformanceDocument): boolean {
  return summary.fail + summary.warn + summary.error > 0
}

const HINT = '--verbose lists each failure and warning with its sentence and command; the reports list them too.'

/** Returns a line that says where the report describes the observed behaviour. */
function observedLines({ summary }: ConformanceDocument, paint: TerminalColors): string[] {
  return summary.observed === 0
    ? []
    : [
        '',
        paint.dim(
          `The report page lists the ${formatCount(summary.observed, 'observed result')} under "Unspecified behaviour".`,
        ),
      ]
}

function policyLines(document: ConformanceDocument, paint: TerminalColors): string[] {
  const lines = listPolicies(document).map(({ title, summary, check: { declared } }) => {
    const behaviour = escapeTerminalText(summary, MAX_POLICY_CHARACTERS)
    const note = declared === undefined ? '' : ` ${paint.dim(`(declared: ${escapeTerminalText(declared)})`)}`
    return `  ${escapeTerminalText(title)}: ${behaviour}${note}`
  })
  return lines.length === 0 ? [] : ['', paint.bold(`What the gateway does (${lines.length})`), ...lines]
}

const MAX_POLICY_CHARACTERS = 600

/** Returns whether at least one check has a result about the target. */
function hasTested({ summary }: ConformanceDocument): boolean {
  return summary.pass + summary.fail + summary.declared + summary.warn + summary.observed > 0
}

const WARNINGS = 'Causes of the warnings'

function causeLines(document: ConformanceDocument, paint: TerminalColors): string[] {
  const reasons = listCauses(document, 'not-testable')
  const explained = reasons.flatMap(({ checks }) => checks).length
  const isComplete = explained === selectCountedChecks(document, 'not-testable').length
  return [
    ...renderCauses('Causes of the failures', listCauses(document, 'fail'), paint),
    ...renderCauses('Errors of the suite itself', listCauses(document, 'error'), paint),
    ...renderCauses(WARNINGS, listCauses(document, 'warn'), paint),
    ...renderReasons(isComplete ? 'Not testable' : 'Not testable for other reasons', reasons, paint),
  ]
}

function findingLines(document: ConformanceDocument, paint: TerminalColors): string[] {
  const render = (heading: string, verdict: 'warn' | 'error' | 'fail'): string[] =>
    renderFindings(heading, selectCountedChecks(document, verdict), document, paint)
  return [
    ...render('Warnings', 'warn'),
    ...render('Errors of the suite itself', 'error'),
    ...render('Failures', 'fail'),
  ]
}

/** Returns the lines that repeat the verdicts below output that is longer than a screen. */
function repeatVerdicts(length: number, runs: readonly ConformanceDocument[], paint: TerminalColors): string[] {
  if (length < SCREEN_LINES) return []
  const lines = runs.flatMap((run) => [
    `${headline(run, paint)}  ${countsOf(run.checks)}`,
    ...renderHeadlineRemarks(run, paint),
  ])
  return ['', ...lines]
}

/** Returns the numbers of failures and warnings for the headline of a gateway: `: 2 failures, 1 warning`. */
function findingCounts(document: ConformanceDocument): string {
  const findings = document.checks.filter((check) => check.verdict !== 'not-testable' && !isExemptCheck(check))
  const counts = describeCheckCount(findings, 'failure')
  return isGatewayRun(document) && counts !== '' ? `: ${counts}` : ''
}

/** Number of lines that fit into most terminal windows. */
const SCREEN_LINES = 40

const COLORS: Readonly<Record<RunVerdict, 'green' | 'red' | 'yellow'>> = {
  conformant: 'green',
  'non-conformant': 'red',
  incomplete: 'yellow',
  'harness-error': 'red',
}

function headline(document: ConformanceDocument, paint: TerminalColors): string {
  const warned = selectCountedChecks(document, 'warn').length
  const isHidden = document.verdict === 'conformant' && warned > 0 && !isGatewayRun(document)
  const more = isHidden ? [`${formatCount(warned, 'warning')}, listed under "${WARNINGS}"`] : []
  const { label, qualifiers, differences } = buildHeadline(document, escapeTerminalText, more)
  const verdict = paint.bold(paint[COLORS[document.verdict]](label.toUpperCase()))
  return verdict + qualifiers + differences
}

function incompleteLines(document: ConformanceDocument, paint: TerminalColors): string[] {
  const reason = describeIncompleteReason(document)
  return reason === undefined ? [] : [paint.yellow(escapeTerminalText(reason))]
}

function facts(document: ConformanceDocument, { exitCode }: RenderConformanceOptions): string[] {
  const { checks, spent, verdict, summary } = document
  const known = spent.creditsKnown === null ? '' : ` (${spent.creditsKnown} according to the usage in chat responses)`
  const cost =
    spent.creditsUpperBound === null ? '' : `, at most ${spent.creditsUpperBound} credits for chat and text${known}`
  const isAccepted = verdict === 'incomplete' && exitCode === 0
  return [
    checks.length === 0
      ? 'No check ran. The list "Not part of this run" states the reasons.'
      : `${formatCount(checks.length, 'check')} in ${(document.durationMs / 1000).toFixed(1)} s: ${countsOf(checks)}`,
    `${formatCount(spent.requests, 'request')}${cost}`,
    ...(isAccepted ? [`Accepted although ${formatCount(summary.notTestable, 'check')} could not be tested.`] : []),
  ]
}

function sectionLines({ checks }: ConformanceDocument, paint: TerminalColors): string[] {
  const sections = Map.groupBy(checks, (check) => check.section)
  const width = Math.max(0, ...[...sections.keys()].map((section) => nameSection(section).length))
  return [...sections]
    .toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([section, group]) => `  ${nameSection(section).padEnd(width)}  ${countsOf(group, paint)}`)
}

function nameSection(section: string): string {
  return escapeTerminalText(formatSection(section))
}

function countsOf(checks: readonly CheckEntry[], paint: TerminalColors = createTerminalColors(false)): string {
  const words: [verdict: CheckEntry['verdict'], word: string, style: (text: string) => string][] = [
    ['pass', 'pass', paint.green],
    ['declared', 'declared', paint.green],
    ['fail', 'fail', paint.red],
    ['error', 'error', paint.red],
    ['warn', 'warn', paint.yellow],
    ['observed', 'observed', paint.dim],
    ['not-testable', 'not testable', paint.yellow],
  ]
  const parts = words.flatMap(([verdict, word, style]) => {
    const count = checks.filter((check) => check.verdict === verdict).length
    return count === 0 ? [] : [style(`${count} ${word}`)]
  })
  return parts.length === 0 ? 'none' : parts.join(' · ')
}

/** Renders failures or warnings with their sentences, the expected and actual behaviour, and commands. */
function renderFindings(
  heading: string,
  checks: readonly CheckEntry[],
  document: ConformanceDocument,
  paint: TerminalColors,
): string[] {
  if (checks.length === 0) return []
  const quotes = new Map(document.requirements.map((row) => [row.id, row.quote]))
  return [
    '',
    paint.bold(`${heading} (${checks.length})`),
    ...checks.flatMap((check) => ['', ...renderFinding(check, quotes.get(check.requirement), paint)]),
  ]
}

function renderFinding(check: CheckEntry, quote: string | undefined, paint: TerminalColors): string[] {
  const lines: [label: string, text: string | undefined][] = [
    [
      'sentence',
      quote === undefined
        ? undefined
        : `${escapeTerminalText(formatSource(check.section, quote))}: "${escapeTerminalText(formatQuote(check.section, quote))}"`,
    ],
    ['expected', check.expected.length === 0 ? undefined : escapeTerminalText(check.expected.join(', or '))],
    ['declared', check.differences === undefined ? undefined : escapeTerminalText(check.differences.join(', '))],
    ['actual', escapeTerminalText(check.actual)],
    ['consequence', check.consequence === undefined ? undefined : escapeTerminalText(check.consequence)],
    ['see it', check.reproduce === undefined ? undefined : escapeTerminalText(check.reproduce, MAX_COMMAND_CHARACTERS)],
  ]
  const shown = lines.filter((line): line is [string, string] => line[1] !== undefined)
  return [
    `  ${paint.bold(escapeTerminalText(check.id))}  ${escapeTerminalText(check.title)}`,
    ...shown.map(([label, text]) => `    ${paint.dim(label.padEnd(12))} ${text}`),
  ]
}

/** Codes of checks that the user excluded. The headline already states the selection. */
const DESELECTED: readonly string[] = ['not-selected', 'skipped']

/** Renders the checks outside the run by reason, without those that the user excluded, unless no check ran. */
export function renderNotPlanned({ notPlanned, checks }: ConformanceDocument, paint: TerminalColors): string[] {
  const shown = checks.length === 0 ? notPlanned : notPlanned.filter(({ code }) => !DESELECTED.includes(code))
  if (shown.length === 0) return []
  const byReason = Map.groupBy(shown, ({ reason }) => reason)
  const lines = [...byReason].map(([reason, group]) => {
    const ids = group.length > 3 ? '' : ` (${group.map(({ id }) => id).join(', ')})`
    return `  ${paint.dim(`${formatCount(group.length, 'check')}: ${escapeTerminalText(reason)}${escapeTerminalText(ids)}`)}`
  })
  return ['', paint.dim('Not part of this run'), ...lines]
}
