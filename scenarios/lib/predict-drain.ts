/**
 * Checks of a target that charges prompt and completion tokens at the price of the table, and holds the maximum cost of
 * a request. The specification leaves both open (section 8): another target may differ.
 */
export const PREDICTED = {
  served: 'a request that the balance covers succeeds',
  refused: 'the first request that the balance does not cover is rejected with 402',
  smallerServed: 'after that, a request for no more than is left is served',
} as const

/** Tokens of a response that was charged. */
export interface PaidTokens {
  readonly prompt: number
  readonly completion: number
}

/** A small account, and the request that it repeats. Units are 0.0001 credit. */
export interface DrainPrediction {
  readonly balanceUnits: number
  readonly unitsPerToken: number
  readonly maxTokens: number
}

/** Balance after these responses. */
export function calculateUnitsLeft(
  { balanceUnits, unitsPerToken }: DrainPrediction,
  paid: readonly PaidTokens[],
): number {
  return paid.reduce((left, { prompt, completion }) => left - (prompt + completion) * unitsPerToken, balanceUnits)
}

/**
 * Predicts the position of the request that the target must reject with 402, from the responses before it: the first request whose
 * maximum cost (prompt and `maxTokens`) exceeds the balance (section 5, rule 4). Null where the balance is sufficient for another
 * request; undefined while the number of prompt tokens is not known.
 */
export function predictRefusal(drain: DrainPrediction, paid: readonly PaidTokens[]): number | null | undefined {
  const first = paid[0]
  if (first === undefined) return undefined
  const ceiling = (first.prompt + drain.maxTokens) * drain.unitsPerToken
  let left = drain.balanceUnits
  for (const [at, { prompt, completion }] of paid.entries()) {
    if (ceiling > left) return at
    left -= (prompt + completion) * drain.unitsPerToken
  }
  return ceiling > left ? paid.length : null
}

/**
 * Maximum number of completion tokens that the remaining balance covers. A request with that maximum must succeed even
 * after the 402.
 */
export function calculateAffordableTokens(drain: DrainPrediction, paid: readonly PaidTokens[]): number {
  return Math.floor(calculateUnitsLeft(drain, paid) / drain.unitsPerToken) - (paid[0]?.prompt ?? 0)
}
