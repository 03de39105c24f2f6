import { formatQuote } from '../format-quote.ts'
import { formatSection } from '../../contract/sections.ts'
import type { CheckEntry, ConformanceDocument } from '../conformance-document.ts'
import { formatCount, MAX_COMMAND_CHARACTERS, type TerminalColors, escapeTerminalText } from './terminal-text.ts'

/**
 * Maximum number of findings that are shown in full unless the user requests all. Each further finding takes one line.
 */
const MAX_FULL_FINDINGS = 10

/**
 * Renders failures or warnings. Each has the violated sentence, the expected and the actual behaviour, and the command
 * that reproduces it.
 */
export function renderFindings(
  heading: string,
  checks: readonly CheckEntry[],
  document: ConformanceDocument,
  { paint, isVerbose }: { readonly paint: TerminalColors; readonly isVerbose: boolean },
): string[] {
  if (checks.length === 0) {
    return []
  }
  const quotes = new Map(document.requirements.map((row) => [row.id, row.quote]))
  const limit = isVerbose ? checks.length : MAX_FULL_FINDINGS
  const full = checks.slice(0, limit)
  const others = checks.slice(limit)
  return [
    '',
    paint.bold(`${heading} (${checks.length})`),
    ...full.flatMap((check) => ['', ...renderFinding(check, quotes.get(check.requirement), paint)]),
    ...(others.length === 0 ? [] : ['', `  and ${others.length} more:`]),
    ...others.map((check) => `  ${escapeTerminalText(check.id)}: ${escapeTerminalText(check.actual, 100)}`),
  ]
}

function renderFinding(check: CheckEntry, quote: string | undefined, paint: TerminalColors): string[] {
  const lines: [label: string, text: string | undefined][] = [
    [
      'sentence',
      quote === undefined
        ? undefined
        : `${escapeTerminalText(formatSection(check.section))}: "${escapeTerminalText(formatQuote(check.section, quote))}"`,
    ],
    ['expected', check.expected.length === 0 ? undefined : escapeTerminalText(check.expected.join(', or '))],
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

export function renderNotTestable(checks: readonly CheckEntry[], paint: TerminalColors): string[] {
  const byReason = Map.groupBy(checks, (check) => check.actual)
  const groups = [...byReason].toSorted(([, a], [, b]) => b.length - a.length)
  if (groups.length === 0) {
    return []
  }
  return [
    '',
    paint.bold(`Not testable (${checks.length})`),
    ...groups.slice(0, MAX_FULL_FINDINGS).map(([reason, group]) => {
      const ids =
        group.length <= 2 ? ` ${paint.dim(group.map((check) => escapeTerminalText(check.id)).join(', '))}` : ''
      return `  ${formatCount(group.length, 'check')}: ${escapeTerminalText(reason)}${ids}`
    }),
    ...(groups.length > MAX_FULL_FINDINGS ? [`  and ${groups.length - MAX_FULL_FINDINGS} other reasons`] : []),
  ]
}
