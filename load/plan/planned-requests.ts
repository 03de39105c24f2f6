import { chooseOperation, getOperationInTurn } from '../../scenarios/lib/choose-operation.ts'
import { TIMED_OPERATIONS, type TimedOperation } from '../../contract/facts.ts'
import type { TrafficSettings } from '../../scenarios/lib/load-settings.ts'
import type { Arrivals } from '../../scenarios/lib/plan-arrivals.ts'
import { getMaxPromptTokens, buildPrompt } from '../../scenarios/lib/prompts.ts'
import type { LoadVolume } from '../credits/cost-estimate.ts'

export interface PlannedChatRequest {
  readonly prompt: string
  readonly maxTokens: number
}

/** Counts the requests of a plan, and calculates an upper bound of their tokens. */
export function countRequests(scenario: string, settings: TrafficSettings, arrivals: Arrivals): LoadVolume {
  const { models } = settings
  const count = numberOfRequests(scenario, settings, arrivals)
  const chatTokens = { prompt: 0, completion: 0 }
  if (count === undefined) return { requests: null, chatTokens, chatModel: models.chat }
  const requests: Partial<Record<TimedOperation, number>> = {}
  for (let index = 0; index < count; index += 1) {
    const operation = operationAt(scenario, settings, index)
    requests[operation] = (requests[operation] ?? 0) + 1
  }
  for (const { prompt, maxTokens } of planChatRequests(scenario, settings, arrivals)) {
    chatTokens.prompt += getMaxPromptTokens(prompt)
    chatTokens.completion += maxTokens
  }
  return { requests, chatTokens, chatModel: models.chat }
}

/**
 * Yields the chat requests in the order in which the script will send them. Yields nothing if their number is unknown.
 */
export function* planChatRequests(
  scenario: string,
  settings: TrafficSettings,
  arrivals: Arrivals,
): Generator<PlannedChatRequest> {
  const { promptWords, maxTokens, seed, echo = false } = settings
  const count = numberOfRequests(scenario, settings, arrivals) ?? 0
  for (let index = 0; index < count; index += 1) {
    const operation = operationAt(scenario, settings, index)
    if (operation !== 'chat' && operation !== 'chat-stream') continue
    yield {
      prompt: buildPrompt(seed, index, arrivals.promptTokens?.[index] ?? promptWords, echo),
      maxTokens: scenario === 'rate-limit' ? 1 : (arrivals.outputTokens?.[index] ?? maxTokens),
    }
  }
}

function numberOfRequests(
  scenario: string,
  { arrivals: kind, iterations }: TrafficSettings,
  { atMs }: Arrivals,
): number | undefined {
  if (scenario === 'credit-drain') return undefined
  return kind === 'closed' ? iterations : atMs.length
}

/** Returns the operation of request `index`, chosen in the same way as in the scenario's script. */
function operationAt(scenario: string, settings: TrafficSettings, index: number): TimedOperation {
  switch (scenario) {
    case 'smoke':
      return getOperationInTurn(index)
    case 'mixed':
    case 'soak':
      return chooseOperation(settings, index)
    case 'rate-limit':
      return 'chat'
    case 'abort':
      return 'chat-stream'
    default:
      return TIMED_OPERATIONS.find((operation) => operation === scenario) ?? 'chat'
  }
}
