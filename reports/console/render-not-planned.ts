import type { ConformanceDocument } from '../conformance-document.ts'
import { formatCount, type Paint, safeText } from './terminal-text.ts'

/** Reasons that the reader gave on the command line, and which the headline says already. */
const CHOSEN = /^(?:not among|left out by)/

/**
 * The checks that were not made because nothing asked for them, by what would: they do not touch the verdict, and a reader
 * should know that they exist. Where no check was made at all, every reason stands here.
 */
export function renderNotPlanned({ notPlanned, checks }: ConformanceDocument, paint: Paint): string[] {
  const shown = checks.length === 0 ? notPlanned : notPlanned.filter(({ reason }) => !CHOSEN.test(reason))
  if (shown.length === 0) return []
  const byReason = Map.groupBy(shown, ({ reason }) => reason)
  const lines = [...byReason].map(([reason, group]) => {
    const ids = group.length > 3 ? '' : ` (${group.map(({ id }) => id).join(', ')})`
    return `  ${paint.dim(`${formatCount(group.length, 'check')}: ${safeText(reason)}${safeText(ids)}`)}`
  })
  return ['', paint.dim('Not asked for'), ...lines]
}
