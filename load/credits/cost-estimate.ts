import { getUnitsPerToken } from '../../scenarios/lib/credits.ts'
import type { TimedOperation } from '../../contract/facts.ts'
import { formatUnits } from './units.ts'

export interface LoadVolume {
  /** Number of requests by operation. Null if it is unknown, such as for a closed loop that ends after a duration. */
  readonly requests: Readonly<Partial<Record<TimedOperation, number>>> | null
  /** Number of requests of the warm-up, which `requests` excludes and `chatTokens` includes. Null if it is unknown. */
  readonly warmUpRequests: number | null
  /** Prompt tokens and maximum completion tokens of all chat requests together. */
  readonly chatTokens: { readonly prompt: number; readonly completion: number }
  readonly chatModel: string
  /** Whether chats contain parts whose tokens have no upper bound. */
  readonly isUnbounded?: boolean
}

export interface CostEstimate extends LoadVolume {
  /** Upper bound in units of 0.0001 credit, or null if there is none. */
  readonly units: number | null
  /** Sentence about the upper bound, such as the reason why there is none. Null if it needs no explanation. */
  readonly note: string | null
}

/**
 * Estimates the cost of chat requests at the specification's prices. The specification has no prices for images and
 * audio.
 */
export function estimateCost(volume: LoadVolume): CostEstimate {
  const { requests, chatTokens, chatModel } = volume
  const unbounded = (note: string): CostEstimate => ({ ...volume, units: null, note })
  if (requests === null) {
    return unbounded(
      'A closed loop without a fixed number of iterations sends as many requests as the target completes.',
    )
  }
  if (volume.isUnbounded === true) return unbounded('The tokens of images and audio in a prompt have no upper bound.')
  if (volume.warmUpRequests === null) return unbounded('The cost of the warm-up of a closed loop has no upper bound.')
  const sends = (...operations: TimedOperation[]) => operations.some((operation) => (requests[operation] ?? 0) > 0)
  const price = getUnitsPerToken(chatModel)
  if (sends('chat', 'chat-stream') && price === undefined)
    return unbounded(`The specification gives no price for ${chatModel}.`)
  const units = (chatTokens.prompt + chatTokens.completion) * (price ?? 0)
  if (sends('images', 'transcriptions', 'speech')) {
    const chat = units === 0 ? '' : ` Chat alone costs at most ${formatUnits(units)}.`
    return unbounded(`The specification gives no prices for images and audio.${chat}`)
  }
  return { ...volume, units, note: null }
}

/** Describes in one sentence how exact an estimate is. Returns null if it has no upper bound or no chat requests. */
export function describeExactness({ units, chatTokens, requests }: CostEstimate): string | null {
  return units === null || requests === null || chatTokens.prompt === 0
    ? null
    : 'The estimate is an upper bound: a prompt has at most as many tokens as bytes, and a response has at most max_tokens tokens.'
}
