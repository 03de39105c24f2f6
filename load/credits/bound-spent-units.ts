/** What is known about the cost of a run that has ended. */
export interface SpentRecord {
  /** Cost according to `usage`, in units. */
  readonly countedUnits: number
  /** Upper bound before the run, in units; 0 if there was none. */
  readonly maxUnits: number
  /** Prompt tokens according to `usage`; 0 if the responses report no usage. */
  readonly promptTokens: number
  readonly sent: number
  /** Failed and aborted requests, whose cost is unknown. */
  readonly failed: number
}

/** Returns an upper bound of what a run has cost, in units. Requests of unknown cost count with their upper bound. */
export function boundSpentUnits({ countedUnits, maxUnits, promptTokens, sent, failed }: SpentRecord): number {
  if (sent === 0) return 0
  if (promptTokens === 0) return Math.max(countedUnits, maxUnits)
  return countedUnits + Math.ceil((maxUnits * failed) / sent)
}
