/**
 * Names of the checks of `credit-drain`. They assume that the target charges prompt and completion tokens at the
 * specification's prices, and that it holds the maximum cost of a request. The specification leaves both open (section
 * 8), so a conforming target may differ.
 */
export const CREDIT_DRAIN_CHECKS = {
  served: 'a request that the balance covers succeeds',
  rejected: 'the first request that the balance does not cover is rejected with 402',
  smallerServed: 'then a request within the remaining balance succeeds',
} as const

export interface ChargedTokens {
  readonly prompt: number
  readonly completion: number
}

/**
 * The initial balance of a small account, and the cost of the request that the client repeats. Units are 0.0001 credit.
 */
export interface CreditDrainInputs {
  readonly balanceUnits: number
  readonly unitsPerToken: number
  readonly maxTokens: number
}

/** Returns the balance that remains after the target has charged these responses, in units. */
export function calculateUnitsLeft(
  { balanceUnits, unitsPerToken }: CreditDrainInputs,
  paid: readonly ChargedTokens[],
): number {
  return paid.reduce((left, { prompt, completion }) => left - (prompt + completion) * unitsPerToken, balanceUnits)
}

/**
 * Predicts the index of the request that the target must reject with 402. This is the first request whose maximum cost
 * (prompt and `maxTokens`) exceeds the balance (section 5, rule 4).
 * @param paid the responses that the client has received
 * @returns null if the balance covers another request, or undefined until the number of prompt tokens is known
 */
export function predictRejectedIndex(
  drain: CreditDrainInputs,
  paid: readonly ChargedTokens[],
): number | null | undefined {
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
 * Returns the largest `max_tokens` that the remaining balance covers. A request with this value must succeed even after
 * the 402.
 */
export function calculateAffordableTokens(drain: CreditDrainInputs, paid: readonly ChargedTokens[]): number {
  return Math.floor(calculateUnitsLeft(drain, paid) / drain.unitsPerToken) - (paid[0]?.prompt ?? 0)
}
