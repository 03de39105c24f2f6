import { unitsPerToken } from '../../scenarios/lib/credits.ts'
import type { LoadSurroundings } from '../options/load-options.ts'
import { planChats } from './planned-requests.ts'
import type { ResolvedLoad } from './plan-load.ts'
import { type Ask, createAsk } from '../target/target-client.ts'
import { countPrompts, type PromptCount } from './count-prompts.ts'
import { creditsFromUnits } from '../credits/units.ts'
import { type Forecast, forecast } from '../credits/cost-estimate.ts'

/** Of more, nobody wants to wait for the count. */
const MOST_COUNTED = 2000
const AT_ONCE = 8

/** A run whose prompts are counted, as far as they can be. */
export interface Sharpened {
  readonly resolved: ResolvedLoad
  /** What is to be told of the counting, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Has an emulator count the prompts, one that is started for it: nothing is asked of the target. For targets that are emulators,
 * and so count alike.
 * @returns the same run where its prompts are counted, cannot be, or are too many
 */
export async function countAtEmulator(
  resolved: ResolvedLoad,
  { startEmbedded }: Pick<LoadSurroundings, 'startEmbedded'>,
): Promise<ResolvedLoad> {
  const chats = countChats(resolved.forecast)
  if (resolved.forecast.prompts === 'counted' || chats === 0 || chats > MOST_COUNTED) return resolved
  const emulator = await startEmbedded('instant')
  try {
    using ask = await createAsk(emulator.url, emulator.keys.funded, {}, { atOnce: AT_ONCE })
    return withCount(resolved, await countAll(resolved, ask))
  } finally {
    await emulator.close()
  }
}

/** Has the target itself count the prompts (`--count-prompts`), and takes what that cost off what the run may cost. */
export async function countAtTarget(
  resolved: ResolvedLoad,
  { url, key, signal }: { url: string; key: string | undefined; signal: AbortSignal },
): Promise<Sharpened> {
  const { options, settings } = resolved
  if (countingUnits(resolved) > (settings.extension.maxUnits ?? Infinity)) {
    return { resolved, notes: ['Prompts were not counted beforehand: that alone might cost more than --max-credits.'] }
  }
  using ask = await createAsk(url, key, options, { atOnce: AT_ONCE, timeoutMs: options.timeoutMs, signal })
  const counted = await countAll(resolved, ask)
  const spentUnits = counted.spentTokens * (unitsPerToken(settings.models.chat) ?? 0)
  return {
    resolved: spendBefore(withCount(resolved, counted), spentUnits),
    notes: [
      ...(spentUnits === 0
        ? []
        : [
            `Counting prompts beforehand cost ${creditsFromUnits(spentUnits)} more, which are not among those counted.`,
          ]),
      // Whoever ended the run knows why.
      ...(counted.problem === undefined || signal.aborted ? [] : [counted.problem]),
    ],
  }
}

/** What `--count-prompts` may cost: each prompt once more, and an answer of one token. */
export function countingUnits(resolved: ResolvedLoad): number {
  const { options, forecast: known, settings } = resolved
  if (options.countsPrompts !== true || options.target === undefined) return 0
  return (known.chatTokens.prompt + countChats(known)) * (unitsPerToken(settings.models.chat) ?? 0)
}

function countChats({ requests }: Forecast): number {
  return (requests?.chat ?? 0) + (requests?.['chat-stream'] ?? 0)
}

/** Prompts are written as they are asked for: all of a long run would fill the memory. */
function countAll({ options, settings, arrivals }: ResolvedLoad, ask: Ask): Promise<PromptCount> {
  const { timeoutMs } = options
  const chats = planChats(options.scenario, settings, arrivals)
  return countPrompts(chats, { ask, model: settings.models.chat, atOnce: AT_ONCE, timeoutMs })
}

function withCount(resolved: ResolvedLoad, { promptTokens }: PromptCount): ResolvedLoad {
  if (promptTokens === null) return resolved
  const { forecast: known } = resolved
  const chatTokens = { ...known.chatTokens, prompt: promptTokens }
  return { ...resolved, forecast: forecast({ ...known, chatTokens }, 'counted') }
}

function spendBefore(resolved: ResolvedLoad, units: number): ResolvedLoad {
  const { settings } = resolved
  const { maxUnits } = settings.extension
  if (maxUnits === undefined) return resolved
  const extension = { ...settings.extension, maxUnits: Math.max(0, maxUnits - units) }
  return { ...resolved, settings: { ...settings, extension } }
}
