import { formatQuote } from '../format-quote.ts'
import { formatSource } from '../../contract/sections.ts'
import type { CheckEntry, ConformanceDocument, RunVerdict } from '../conformance-document.ts'
import { isGatewayRun } from '../gateway-run.ts'
import {
  buildHeadline,
  describeSeen,
  describeVerdict,
  listDifferences,
  selectCountedChecks,
} from '../conformance-verdict.ts'
import { describeBehaviour, describeRequest, listPolicies } from '../policies.ts'
import { listCauses, type ReportedCause } from '../causes.ts'
import { isHeadlineRemark, listCodedRemarks, listHeadlineRemarks } from '../remarks.ts'
import { buildAnchor } from '../html/conformance/check.ts'
import { formatCode, renderMarkdownTable, escapeProse } from './escape.ts'

export interface MarkdownSection {
  readonly head: readonly string[]
  readonly lines: readonly string[]
}

const MARKS: Readonly<Record<RunVerdict, string>> = {
  conformant: '✅',
  'non-conformant': '❌',
  incomplete: '🟡',
  'harness-error': '❌',
}

/** Renders a conformance run as Markdown sections, most important first. */
export function renderConformanceSections(document: ConformanceDocument): MarkdownSection[] {
  const quotes = new Map(document.requirements.map(({ id, quote }) => [id, quote]))
  const findings = (heading: string, verdict: 'fail' | 'error' | 'warn'): MarkdownSection[] => {
    const checks = selectCountedChecks(document, verdict)
    return checks.length === 0
      ? []
      : [{ head: [`### ${heading} (${checks.length})`, ''], lines: checks.flatMap((check) => finding(check, quotes)) }]
  }
  return [
    head(document),
    ...causes('Causes of the failures', listCauses(document, 'fail')),
    ...causes('Causes of the warnings', listCauses(document, 'warn')),
    ...findings('Failures', 'fail'),
    ...findings('Errors of the suite', 'error'),
    ...notTestable(selectCountedChecks(document, 'not-testable')),
    ...findings('Warnings', 'warn'),
    ...differences(document),
    ...budgets(document),
    ...(isGatewayRun(document) ? policies(document) : unspecified(document)),
  ]
}

function head(document: ConformanceDocument): MarkdownSection {
  const { verdict, target, startedAt, durationMs, spent, summary, tool } = document
  const others = listCodedRemarks(document).filter((remark) => !isHeadlineRemark(remark))
  const { label, qualifiers, differences } = buildHeadline(document, escapeProse)
  const headline = `${label}${qualifiers}${differences}${differences === '' ? ':' : ' ·'}`
  const upstream = isGatewayRun(document) ? ` in front of ${formatCode(document.upstream)}` : ''
  const counts = [
    `${summary.fail} fail`,
    `${summary.error} error`,
    `${summary.warn} warn`,
    `${summary.notTestable} not testable`,
    ...(summary.declared === 0 ? [] : [`${summary.declared} declared`]),
    `${summary.pass} pass`,
    `${summary.observed} observed`,
  ]
  return {
    head: [
      `## ${MARKS[verdict]} ${headline} ${formatCode(target.url)}${target.embedded ? ' (the emulator, started for this run)' : ''}${upstream}`,
      '',
      escapeProse(describeVerdict(document), 2000),
      ...listHeadlineRemarks(document).flatMap(({ text }) => ['', `**${escapeProse(text, 1000)}**`]),
      '',
    ],
    lines: [
      `${counts.join(' · ')}`,
      '',
      ...others.map(({ text }) => `- ${escapeProse(text)}`),
      `<sub>${spent.requests} requests in ${(durationMs / 1000).toFixed(1)} s, ${startedAt.slice(0, 16).replace('T', ' ')} UTC; ${escapeProse(`${tool.name} ${tool.version}`)}</sub>`,
    ],
  }
}

function causes(heading: string, shown: readonly ReportedCause[]): MarkdownSection[] {
  if (shown.length === 0) return []
  return [
    {
      head: [`### ${heading} (${shown.length})`, ''],
      lines: shown.flatMap(({ title, count, checks, quote, reproduce, remedy }, index) => [
        `${index + 1}. **${titleOf(title)}: ${escapeProse(count)}** (${linkChecks(checks)})`,
        ...(quote === undefined
          ? []
          : [`   - ${escapeProse(formatSource(quote.section, quote.text))}: “${escapeProse(quote.text)}”`]),
        ...(remedy === undefined ? [] : [`   - remedy: ${escapeProse(remedy)}`]),
        ...formatCommand(reproduce),
      ]),
    },
  ]
}

function formatCommand(reproduce: string | undefined): string[] {
  return reproduce === undefined ? [] : [`   - see it: ${formatCode(reproduce, 1500)}`]
}

const MAX_NAMED_CHECKS = 3

/** Formats the IDs of the first checks of a cause, with links to those that the report lists below. */
function linkChecks(checks: readonly CheckEntry[]): string {
  const named = checks
    .slice(0, MAX_NAMED_CHECKS)
    .map((check) =>
      LISTED.has(check.verdict) ? `[${formatCode(check.id)}](#${buildAnchor(check)})` : formatCode(check.id),
    )
  const others = checks.length - named.length
  return `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

/** Verdicts whose checks the report lists one by one. */
const LISTED: ReadonlySet<string> = new Set(['fail', 'error', 'warn'])

/** Formats a title as prose, with the text between backticks as code. */
function titleOf(title: string): string {
  const parts = title.split('`')
  if (parts.length % 2 === 0) return escapeProse(title)
  return parts.map((part, index) => (index % 2 === 0 ? escapeProse(part) : formatCode(part))).join('')
}

function finding(check: CheckEntry, quotes: ReadonlyMap<string, string>): string[] {
  const { id, title, section, requirement, expected, actual, differences, consequence, reproduce } = check
  const quote = quotes.get(requirement)
  return [
    `- <a id="${buildAnchor(check)}"></a>**${escapeProse(title)}** ${formatCode(id)}`,
    ...(quote === undefined
      ? []
      : [`  - ${escapeProse(formatSource(section, quote))}: “${escapeProse(formatQuote(section, quote))}”`]),
    ...(expected.length === 0 ? [] : [`  - expected: ${formatCode(expected.join(', or '))}`]),
    ...(differences === undefined ? [] : [`  - declared difference: ${formatCode(differences.join(', '))}`]),
    `  - actual: ${formatCode(actual)}`,
    ...(consequence === undefined ? [] : [`  - consequence: ${escapeProse(consequence)}`]),
    ...(reproduce === undefined ? [] : [`  - see it: ${formatCode(reproduce, 1500)}`]),
  ]
}

function notTestable(checks: readonly CheckEntry[]): MarkdownSection[] {
  if (checks.length === 0) return []
  const byReason = [...Map.groupBy(checks, ({ actual }) => actual)].toSorted(([, a], [, b]) => b.length - a.length)
  return [
    {
      head: [`### Not testable (${checks.length})`, ''],
      lines: byReason.map(([reason, group]) => `- ${group.length}: ${formatCode(reason)}`),
    },
  ]
}

function differences(document: ConformanceDocument): MarkdownSection[] {
  const rows = listDifferences(document).map((entry) => [
    `${escapeProse(entry.text)} ${formatCode(entry.name)}`,
    escapeProse(entry.why),
    describeSeen(entry),
  ])
  if (rows.length === 0) return []
  const head = [`### Declared differences (${rows.length})`, '']
  return [{ head, lines: renderMarkdownTable(['difference', 'reason', 'checks'], rows) }]
}

function budgets({ budgets = [] }: ConformanceDocument): MarkdownSection[] {
  if (budgets.length === 0) return []
  const rows = budgets.map(({ metric, statistic, op, limit, unit, actual, n, verdict }) => [
    formatCode(`${metric}.${statistic} ${op} ${limit} ${unit}`),
    verdict,
    actual === null ? 'nothing' : `${actual} ${unit}`,
    String(n),
  ])
  return [{ head: ['### Budgets', ''], lines: renderMarkdownTable(['budget', 'verdict', 'measured', 'samples'], rows) }]
}

function policies(document: ConformanceDocument): MarkdownSection[] {
  const rows = listPolicies(document).map(({ title, summary, check: { declared } }) => [
    escapeProse(title),
    formatCode(summary, 600) + (declared === undefined ? '' : ` (declared: ${formatCode(declared)})`),
  ])
  if (rows.length === 0) return []
  const head = [`### What the gateway does (${rows.length})`, '']
  return [{ head, lines: renderMarkdownTable(['policy', 'behaviour'], rows) }]
}

function unspecified({ checks }: ConformanceDocument): MarkdownSection[] {
  const observed = checks.filter(({ verdict }) => verdict === 'observed')
  if (observed.length === 0) return []
  const rows = observed.map((check) => [
    formatCode(describeRequest(check), 120),
    formatCode(describeBehaviour(check), 200),
  ])
  return [
    {
      head: [`<details><summary>Unspecified behaviour of this target (${observed.length})</summary>`, ''],
      lines: renderMarkdownTable(['request', 'behaviour'], rows),
    },
    { head: ['</details>'], lines: [] },
  ]
}
