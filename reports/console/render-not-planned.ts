import type { ConformanceDocument } from '../conformance-document.ts'
import { formatCount, type TerminalColors, escapeTerminalText } from './terminal-text.ts'

/** Codes of checks that the user excluded. The headline already states the selection. */
const DESELECTED: readonly string[] = ['not-selected', 'skipped']

/**
 * Renders the checks that were not part of the run, grouped by reason. They do not affect the verdict. Omits the checks
 * that the user excluded, unless no check ran.
 */
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
