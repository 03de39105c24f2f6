import type { LoadOperation } from '../../scenarios/lib/load-operation.ts'
import { unitsPerToken } from '../../scenarios/lib/credits.ts'
import { creditsFromUnits } from './units.ts'

/** What a run would send. */
export interface LoadVolume {
  /** By operation; null where nobody can say, as for a closed loop that ends by the clock. */
  readonly requests: Readonly<Partial<Record<LoadOperation, number>>> | null
  /** Tokens of prompts, and most tokens of answers, of all chats together. */
  readonly chatTokens: { readonly prompt: number; readonly completion: number }
  readonly chatModel: string
}

/** What it would cost at most. */
export interface Forecast extends LoadVolume {
  /** `counted`: each prompt was counted beforehand, by the target or by an emulator like it. `bounded`: it counts at most its bytes. */
  readonly prompts: 'bounded' | 'counted'
  /** Null where there is no upper bound. */
  readonly units: number | null
  /** Why there is none, or what the figure leaves out; one sentence. */
  readonly note: string | null
}

/** Puts prices on what a run would send: chat at the document's price, which is silent on images and audio. */
export function forecast(volume: LoadVolume, prompts: Forecast['prompts'] = 'bounded'): Forecast {
  const { requests, chatTokens, chatModel } = volume
  const known = { ...volume, prompts }
  if (requests === null) {
    return {
      ...known,
      units: null,
      note: 'A closed loop that ends by the clock has no upper bound: --iterations gives it one.',
    }
  }
  const sends = (...operations: LoadOperation[]) => operations.some((operation) => (requests[operation] ?? 0) > 0)
  const price = unitsPerToken(chatModel)
  if (sends('chat', 'chat-stream') && price === undefined) {
    return { ...known, units: null, note: `The document has no price for ${chatModel}.` }
  }
  const units = (chatTokens.prompt + chatTokens.completion) * (price ?? 0)
  if (sends('images', 'transcriptions', 'speech')) {
    const chat = units === 0 ? '' : ` Chat alone costs at most ${creditsFromUnits(units)}.`
    return { ...known, units: null, note: `The document is silent on what images and audio cost.${chat}` }
  }
  return { ...known, units, note: null }
}

/** How exact the figure is, one sentence; null where there is none, or where it is of no chat. */
export function exactnessOf({ units, prompts, chatTokens, requests }: Forecast): string | null {
  if (units === null || requests === null || chatTokens.prompt === 0) return null
  return prompts === 'counted'
    ? 'The forecast is exact for prompts, which were counted beforehand, and for answers of full length: shorter ones cost less.'
    : 'The forecast is an upper bound: a prompt counts at most its bytes, an answer its max_tokens.'
}
