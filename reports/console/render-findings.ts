import { formatQuote } from '../format-quote.ts'
import { formatSection } from '../../contract/sections.ts'
import type { CheckEntry, ConformanceDocument } from '../conformance-document.ts'
import { MAX_COMMAND_CHARACTERS, type TerminalColors, escapeTerminalText } from './terminal-text.ts'

/**
 * Renders failures or warnings. Each has the violated sentence, the expected and the actual behaviour, and the command
 * that reproduces it.
 */
export function renderFindings(
  heading: string,
  checks: readonly CheckEntry[],
  document: ConformanceDocument,
  paint: TerminalColors,
): string[] {
  if (checks.length === 0) {
    return []
  }
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
