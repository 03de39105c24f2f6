import type { ConformanceDocument } from '../conformance-document.ts'
import { formatCount, type Paint, escapeText } from './terminal-text.ts'

/** Codes of checks that the user deselected. The headline shows the selection already. */
const DESELECTED: readonly (string | undefined)[] = ['not-selected', 'skipped']

/**
 * Renders the checks that were not part of the run, grouped by the option that would include them. They do not affect the verdict.
 * Shows every reason when no check ran at all.
 */
export function renderNotPlanned({ notPlanned, checks }: ConformanceDocument, paint: Paint): string[] {
  const shown = checks.length === 0 ? notPlanned : notPlanned.filter(({ code }) => !DESELECTED.includes(code))
  if (shown.length === 0) return []
  const byReason = Map.groupBy(shown, ({ reason }) => reason)
  const lines = [...byReason].map(([reason, group]) => {
    const ids = group.length > 3 ? '' : ` (${group.map(({ id }) => id).join(', ')})`
    return `  ${paint.dim(`${formatCount(group.length, 'check')}: ${escapeText(reason)}${escapeText(ids)}`)}`
  })
  return ['', paint.dim('Not asked for'), ...lines]
}
