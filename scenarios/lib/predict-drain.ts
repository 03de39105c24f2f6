/**
 * What is to be expected where prompt and completion cost what the table says, and a request has to find all that it may cost. The
 * document leaves both open (section 8): another target may do otherwise.
 */
export const PREDICTED = {
  served: 'a request that the balance covers is served',
  refused: 'the first request that the balance does not cover is refused with 402',
  smallerServed: 'after that, a request for no more than is left is served',
} as const

/** Tokens of an answer that was paid. */
export interface PaidTokens {
  readonly prompt: number
  readonly completion: number
}

/** A small account that is asked for the same thing again and again. Units are 0.0001 credit. */
export interface Drain {
  readonly balanceUnits: number
  readonly unitsPerToken: number
  readonly maxTokens: number
}

/** What is left after these answers. */
export function unitsLeft({ balanceUnits, unitsPerToken }: Drain, paid: readonly PaidTokens[]): number {
  return paid.reduce((left, { prompt, completion }) => left - (prompt + completion) * unitsPerToken, balanceUnits)
}

/**
 * Position of the request that has to be refused with 402, once the answers before it are known: the first one that could cost
 * more, with its prompt and all of `maxTokens`, than is left (section 5, rule 4). Null where these answers leave enough for
 * another; undefined as long as nobody knows what the prompt counts.
 */
export function predictRefusal(drain: Drain, paid: readonly PaidTokens[]): number | null | undefined {
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

/** The most that the rest pays for, in completion tokens: a request for no more has to be served even after the refusal. */
export function affordableTokens(drain: Drain, paid: readonly PaidTokens[]): number {
  return Math.floor(unitsLeft(drain, paid) / drain.unitsPerToken) - (paid[0]?.prompt ?? 0)
}
