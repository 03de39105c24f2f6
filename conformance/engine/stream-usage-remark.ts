import type { Outcome } from '../findings/outcome.ts'
import type { RunRemark } from '../findings/run-remark.ts'

/** Returns a remark if a check observed a stream without usage, although its request sets `stream_options`. */
export function findStreamUsageRemark(outcomes: readonly Outcome[]): RunRemark[] {
  const isMissing = outcomes.some(
    (outcome) =>
      outcome.code === 'observed-response' &&
      outcome.params.seen?.kind === 'stream-usage' &&
      outcome.params.seen.usage === 'none',
  )
  return isMissing ? [{ code: 'stream-usage-missing', params: {} }] : []
}
