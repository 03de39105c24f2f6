import { formatQuote } from '../format-quote.ts'
import { formatSection, formatSource } from '../../contract/sections.ts'
import { groupCausesByCheck, listAllCauses, type ReportedCause } from '../causes.ts'
import type { BudgetEntry, CheckEntry, ConformanceDocument, DeclaredDifferenceEntry } from '../conformance-document.ts'
import { describeTarget } from '../conformance-verdict.ts'
import type { RunDocument } from '../documents.ts'
import { GATEWAY_SECTION, isGatewayRun, listRuns } from '../gateway-run.ts'
import { truncateText } from '../html/limit-page-size.ts'
import type { LoadDocument } from '../load-document.ts'
import type { LoadBudget } from '../load-parts-document.ts'
import { formatActual, formatBudget } from '../load-verdict.ts'
import { listHeadlineRemarks } from '../remarks.ts'
import { type JunitCase, type JunitSuite, renderJunitXml } from './junit-xml.ts'

export function renderJunit(document: RunDocument): string {
  switch (document.kind) {
    case 'conformance':
      return renderJunitXml(
        `conformance of ${describeTarget(listRuns(document)[0] ?? document)}`,
        document.startedAt,
        listRuns(document).flatMap(conformanceSuites),
      )
    case 'load':
      return renderJunitXml(`load ${document.scenario}`, document.startedAt, loadSuites(document))
  }
}

function conformanceSuites(document: ConformanceDocument): JunitSuite[] {
  const { checks, requirements, strict, target, budgets = [] } = document
  const quotes = new Map(requirements.map(({ id, quote }) => [id, quote]))
  const causes = groupCausesByCheck(document)
  const differences = new Map(target.differences?.map((entry) => [entry.name, entry]))
  const sections = [...Map.groupBy(checks, ({ section }) => section)]
    .toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([section, group]) => ({
      name: isGatewayRun(document) ? GATEWAY_SECTION : formatSection(section),
      cases: group.map((check) => {
        const quote = quotes.get(check.requirement) ?? ''
        const declared = (check.differences ?? []).flatMap((name) => differences.get(name) ?? [])
        return caseOf(check, { quote, cause: causes.get(check.id), differences: declared, isStrict: strict })
      }),
    }))
  const problem = target.problem === undefined ? [] : [runSuite('nothing was tested', target.problem)]
  const ended = listHeadlineRemarks(document).flatMap(({ code, text }) => {
    const name = ENDED_SUITES.get(code)
    return name === undefined ? [] : [runSuite(name, text)]
  })
  return [...problem, ...ended, ...causeSuite(document), ...sections, ...budgetSuite(budgets)]
}

/** Name of the suite that reports why a run ended because of the target, keyed by the code of the remark. */
const ENDED_SUITES: ReadonlyMap<string | undefined, string> = new Map([
  ['target-died', 'the target stopped responding'],
  ['target-blocked', 'the target blocked the suite'],
  ['funded-key-lost', 'the target rejects the key'],
])

/** Renders the causes as output. They are not cases, because each failure is a case of its section. */
function causeSuite(document: ConformanceDocument): JunitSuite[] {
  const lines = listAllCauses(document)
    .filter(({ verdict }) => verdict !== 'not-testable')
    .map(({ title, count, reproduce }, index) => {
      const command = reproduce === undefined ? '' : `\n   see it: ${truncateText(reproduce, MAX_COMMAND_CHARACTERS)}`
      return `${index + 1}. ${title}: ${count}${command}`
    })
  const name = isGatewayRun(document) ? 'causes in the gateway' : 'causes'
  return lines.length === 0 ? [] : [{ name, cases: [], output: lines.join('\n') }]
}

/** Maximum length of a command in characters, so that several causes fit into the output of the suite. */
const MAX_COMMAND_CHARACTERS = 600

/** Data of a test case that its check does not contain. */
interface CaseContext {
  readonly quote: string
  readonly cause: ReportedCause | undefined
  /** Declared differences that the check requires. */
  readonly differences: readonly DeclaredDifferenceEntry[]
  readonly isStrict: boolean
}

function caseOf(check: CheckEntry, context: CaseContext): JunitCase {
  const { id, title, section, durationMs, verdict, actual, knownFailure, accepted } = check
  const common = { name: `${id} ${title}`, className: `conformance.${section}`, seconds: durationMs / 1000 }
  const excuse = knownFailure ?? accepted
  const details = detailsOf(check, context)
  if (excuse !== undefined) return { ...common, outcome: 'skipped', message: `excused: ${excuse}`, details }
  const passed = (output: string): JunitCase => ({ ...common, outcome: 'passed', output })
  if (!context.isStrict && verdict === 'warn') return passed(`warning: ${details}`)
  if (!context.isStrict && verdict === 'declared') return passed(details)
  switch (verdict) {
    case 'pass':
      return { ...common, outcome: 'passed' }
    case 'observed':
      return passed(`observed: ${actual}`)
    case 'not-testable':
      return { ...common, outcome: 'skipped', message: actual, details: causeLine(context.cause) }
    case 'error':
      return { ...common, outcome: 'error', message: actual, details }
    case 'declared':
    case 'warn':
    case 'fail':
      return { ...common, outcome: 'failure', message: actual, details }
  }
}

function detailsOf(
  { section, expected, actual, consequence, reproduce }: CheckEntry,
  { quote, cause, differences }: CaseContext,
): string {
  const lines: [label: string, text: string | undefined][] = [
    ...differences.map(({ text, why }): [string, string] => ['declared difference', `${text} (${why})`]),
    [formatSource(section, quote), `"${formatQuote(section, quote)}"`],
    ['expected', expected.length === 0 ? undefined : expected.join(', or ')],
    ['actual', actual],
    ['consequence', consequence],
    ['see it', reproduce],
  ]
  const received = lines.flatMap(([label, text]) => (text === undefined ? [] : [`${label}: ${text}`]))
  return [...received, causeLine(cause)].filter((line) => line !== '').join('\n')
}

/** Describes the cause that a check shares with others, in one line. Empty if it shares none. */
function causeLine(cause: ReportedCause | undefined): string {
  return cause === undefined || cause.checks.length < 2 ? '' : `cause: ${cause.title}: ${cause.count}`
}

function loadSuites({ budgets, validation, verdict, reasons }: LoadDocument): JunitSuite[] {
  const violations = validation.violations.map(({ kind, count, example }): JunitCase => ({
    name: kind,
    className: 'load.streams',
    seconds: 0,
    outcome: 'failure',
    message: `${count} of ${validation.streams} streams`,
    details: example,
  }))
  const checks = validation.checks.map(({ name, passes, fails }): JunitCase => {
    const common = { name, className: 'load.checks', seconds: 0 }
    if (fails > 0) return { ...common, outcome: 'failure', message: `failed ${fails} of ${passes + fails} times` }
    return passes > 0 ? { ...common, outcome: 'passed' } : { ...common, outcome: 'skipped', message: 'never ran' }
  })
  const isEvaluated = verdict === 'within-budgets' || verdict === 'budget-broken'
  return [
    ...(isEvaluated ? [] : [runSuite(verdict, reasons.join(' '))]),
    ...budgetSuite(budgets),
    ...(violations.length === 0 ? [] : [{ name: 'streams', cases: violations }]),
    ...(checks.length === 0 ? [] : [{ name: 'checks of the scenario', cases: checks }]),
  ]
}

function budgetSuite(budgets: readonly (BudgetEntry | LoadBudget)[]): JunitSuite[] {
  const cases = budgets.map((budget): JunitCase => {
    const common = { name: formatBudget(budget), className: 'budgets', seconds: 0 }
    const measured = `${formatActual(budget)} over ${budget.n} samples`
    switch (budget.verdict) {
      case 'within':
        return { ...common, outcome: 'passed', output: measured }
      case 'broken':
        return { ...common, outcome: 'failure', message: measured }
      case 'insufficient samples':
        return { ...common, outcome: 'skipped', message: `${measured}; ${budget.needed} are needed` }
      case 'not measurable':
        return { ...common, outcome: 'skipped', message: 'not measurable in this run' }
    }
  })
  return cases.length === 0 ? [] : [{ name: 'budgets', cases }]
}

/** Builds a suite with an error, for a run without a verdict, which would look like a success. */
function runSuite(name: string, message: string): JunitSuite {
  return { name: 'run', cases: [{ name, className: 'run', seconds: 0, outcome: 'error', message }] }
}
