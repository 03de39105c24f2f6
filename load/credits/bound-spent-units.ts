export interface SpendRecord {
  /** Cost according to `usage`, in units of 0.0001 credit. */
  readonly countedUnits: number
  /** Upper bound that was estimated before the run, in units; 0 if there was none. */
  readonly maxUnits: number
  /** Prompt tokens according to `usage`; 0 if the responses report no usage. */
  readonly promptTokens: number
  readonly sent: number
  /** Number of failed and aborted requests, whose cost is unknown. */
  readonly failed: number
}

/**
 * Returns an upper bound of the cost of a finished run, in units. Requests of unknown cost count with their estimated
 * upper bound.
 */
export function calculateMaxSpentUnits({ countedUnits, maxUnits, promptTokens, sent, failed }: SpendRecord): number {
  if (sent === 0) return 0
  if (promptTokens === 0) return Math.max(countedUnits, maxUnits)
  return countedUnits + Math.ceil((maxUnits * failed) / sent)
}
