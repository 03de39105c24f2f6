import type { TimedOperation } from '../../contract/facts.ts'
import type { TrafficSettings } from '../../scenarios/lib/load-settings.ts'
import { type Arrivals, planWarmUp } from '../../scenarios/lib/plan-arrivals.ts'
import { buildChat, type PlannedChat } from '../../scenarios/lib/chat-body.ts'
import { type FilePrompt, orderPrompts } from '../../scenarios/lib/prompt-file.ts'
import { getOperation } from '../../scenarios/lib/scenarios.ts'
import type { LoadVolume } from '../credits/cost-estimate.ts'

/** The settings and the planned arrivals of a run, and the requests of each line of its prompts file. */
export interface PlannedLoad {
  /** Settings of the k6 script. */
  readonly settings: TrafficSettings
  /** Start times of all requests after the warm-up. Empty for a closed loop. */
  readonly arrivals: Arrivals
  /** Empty without a file. */
  readonly prompts: readonly (readonly FilePrompt[])[]
}

/** Counts the requests of a plan, and calculates an upper bound of their tokens. */
export function countRequests(scenario: string, load: PlannedLoad): LoadVolume {
  const { settings, arrivals } = load
  const { models } = settings
  const count = numberOfRequests(scenario, settings, arrivals)
  const chatTokens = { prompt: 0, completion: 0 }
  const warmUpRequests = countWarmUps(load)
  if (count === undefined) return { requests: null, warmUpRequests, chatTokens, chatModel: models.chat }
  const requests: Partial<Record<TimedOperation, number>> = {}
  for (let index = 0; index < count; index += 1) {
    const operation = getOperation(scenario, settings, index)
    requests[operation] = (requests[operation] ?? 0) + 1
  }
  let isUnbounded = false
  for (const chat of planChatRequests(scenario, load)) {
    chatTokens.prompt += chat.maxPromptTokens
    chatTokens.completion += chat.maxCompletionTokens
    isUnbounded ||= chat.isUnbounded
  }
  return { requests, warmUpRequests, chatTokens, chatModel: models.chat, ...(isUnbounded ? { isUnbounded } : {}) }
}

/**
 * Yields the chat requests by their index. The requests of the warm-up are the last. Yields nothing if the number of
 * requests is unknown.
 */
function* planChatRequests(scenario: string, load: PlannedLoad): Generator<PlannedChat> {
  const { settings, arrivals, prompts } = load
  const count = numberOfRequests(scenario, settings, arrivals) ?? 0
  const ordered = orderPrompts(prompts, settings.seed)
  for (let index = 0; index < count + (countWarmUps(load) ?? 0); index += 1) {
    const operation = getOperation(scenario, settings, index)
    if (operation !== 'chat' && operation !== 'chat-stream') continue
    yield buildChat(settings, ordered, {
      index,
      // The warm-up repeats a trace from its start.
      promptTokens: arrivals.promptTokens?.[index % count],
      outputTokens: scenario === 'rate-limit' ? 1 : arrivals.outputTokens?.[index % count],
    })
  }
}

/** Returns the number of requests of the warm-up, or null if a closed loop determines it. */
function countWarmUps({ settings, arrivals }: PlannedLoad): number | null {
  if (settings.warmUpS === undefined) return 0
  return settings.arrivals === 'closed' ? null : planWarmUp(settings, arrivals).length
}

function numberOfRequests(
  scenario: string,
  { arrivals: kind, iterations }: TrafficSettings,
  { atMs }: Arrivals,
): number | undefined {
  if (scenario === 'credit-drain') return undefined
  return kind === 'closed' ? iterations : atMs.length
}
