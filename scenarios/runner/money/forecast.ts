import type { LoadOperation } from '../../lib/load-operation.ts'
import { creditsFromUnits } from './credits.ts'
import { unitsPerToken } from '../../lib/credits.ts'

/** What a run would send. */
export interface LoadVolume {
  /** By operation; null where nobody can say, as for a closed loop that ends by the clock. */
  readonly requests: Readonly<Partial<Record<LoadOperation, number>>> | null
  /** Most tokens of prompts and of answers of all chats together. */
  readonly chatTokens: { readonly prompt: number; readonly completion: number }
  readonly chatModel: string
}

/** What it would cost at most. */
export interface Forecast extends LoadVolume {
  /** Null where there is no upper bound. */
  readonly units: number | null
  /** Why there is none, or what the figure leaves out; one sentence. */
  readonly note: string | null
}

/** Puts prices on what a run would send: chat at the document's price, which is silent on images and audio. */
export function forecast(volume: LoadVolume): Forecast {
  const { requests, chatTokens, chatModel } = volume
  if (requests === null) {
    return {
      ...volume,
      units: null,
      note: 'A closed loop that ends by the clock has no upper bound: --iterations gives it one.',
    }
  }
  const sends = (...operations: LoadOperation[]) => operations.some((operation) => (requests[operation] ?? 0) > 0)
  const price = unitsPerToken(chatModel)
  if (sends('chat', 'chat-stream') && price === undefined) {
    return { ...volume, units: null, note: `The document has no price for ${chatModel}.` }
  }
  const units = (chatTokens.prompt + chatTokens.completion) * (price ?? 0)
  if (sends('images', 'transcriptions', 'speech')) {
    const chat = units === 0 ? '' : ` Chat alone costs at most ${creditsFromUnits(units)}.`
    return { ...volume, units: null, note: `The document is silent on what images and audio cost.${chat}` }
  }
  return { ...volume, units, note: null }
}
