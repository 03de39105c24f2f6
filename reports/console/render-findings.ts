import type { CheckEntry, ConformanceDocument } from '../conformance-document.ts'
import { formatCount, type Paint, escapeText } from './terminal-text.ts'

/** Maximum number of findings shown in full unless all are requested. The others take one line each. */
const SHOWN_IN_FULL = 10
/** Maximal length of a command. A cut command cannot be copied, so the limit is that of a shell. */
const LONGEST_COMMAND = 8000

/** Renders failures or warnings with the violated sentence, the expected and the actual behaviour, and the command to reproduce. */
export function renderFindings(
  heading: string,
  checks: readonly CheckEntry[],
  document: ConformanceDocument,
  { paint, isVerbose }: { readonly paint: Paint; readonly isVerbose: boolean },
): string[] {
  if (checks.length === 0) {
    return []
  }
  const quotes = new Map(document.requirements.map((row) => [row.id, row.quote]))
  const limit = isVerbose ? checks.length : SHOWN_IN_FULL
  const full = checks.slice(0, limit)
  const others = checks.slice(limit)
  return [
    '',
    paint.bold(`${heading} (${checks.length})`),
    ...full.flatMap((check) => ['', ...renderFinding(check, quotes.get(check.requirement), paint)]),
    ...(others.length === 0 ? [] : ['', `  and ${others.length} more:`]),
    ...others.map((check) => `  ${check.id}: ${escapeText(check.actual, 100)}`),
  ]
}

function renderFinding(check: CheckEntry, quote: string | undefined, paint: Paint): string[] {
  const lines: [label: string, text: string | undefined][] = [
    [`section ${check.section}`, quote === undefined ? undefined : `"${escapeText(quote)}"`],
    ['expected', check.expected.length === 0 ? undefined : escapeText(check.expected.join(', or '))],
    ['actual', escapeText(check.actual)],
    ['consequence', check.consequence === undefined ? undefined : escapeText(check.consequence)],
    ['see it', check.reproduce === undefined ? undefined : escapeText(check.reproduce, LONGEST_COMMAND)],
  ]
  const shown = lines.filter((line): line is [string, string] => line[1] !== undefined)
  return [
    `  ${paint.bold(check.id)}  ${escapeText(check.title)}`,
    ...shown.map(([label, text]) => `    ${paint.dim(label.padEnd(12))} ${text}`),
  ]
}

/** Renders the checks that are not testable, grouped by reason. */
export function renderNotTestable(checks: readonly CheckEntry[], paint: Paint): string[] {
  const byReason = Map.groupBy(checks, (check) => check.actual)
  const groups = [...byReason].toSorted(([, a], [, b]) => b.length - a.length)
  if (groups.length === 0) {
    return []
  }
  return [
    '',
    paint.bold(`Not testable (${checks.length})`),
    ...groups.slice(0, SHOWN_IN_FULL).map(([reason, group]) => {
      const ids = group.length <= 2 ? ` ${paint.dim(group.map((check) => check.id).join(', '))}` : ''
      return `  ${formatCount(group.length, 'check')}: ${escapeText(reason)}${ids}`
    }),
    ...(groups.length > SHOWN_IN_FULL ? [`  and ${groups.length - SHOWN_IN_FULL} other reasons`] : []),
  ]
}
