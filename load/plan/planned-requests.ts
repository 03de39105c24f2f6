import { chooseOperation, operationInTurn } from '../../scenarios/lib/choose-operation.ts'
import type { LoadSettings } from '../../scenarios/lib/load-settings.ts'
import type { Arrivals } from '../../scenarios/lib/plan-arrivals.ts'
import { mostPromptTokens, promptOf } from '../../scenarios/lib/prompts.ts'
import { LOAD_OPERATIONS, type LoadOperation } from '../../scenarios/lib/load-operation.ts'
import type { LoadVolume } from '../credits/cost-estimate.ts'

/** A chat that a run would send. */
export interface PlannedChat {
  readonly prompt: string
  readonly maxTokens: number
}

/** What a run would send: exact counts of requests, and upper bounds of tokens. */
export function planVolume(scenario: string, settings: LoadSettings, arrivals: Arrivals): LoadVolume {
  const { models } = settings
  const count = countOf(scenario, settings, arrivals)
  const chatTokens = { prompt: 0, completion: 0 }
  if (count === undefined) return { requests: null, chatTokens, chatModel: models.chat }
  const requests: Partial<Record<LoadOperation, number>> = {}
  for (let index = 0; index < count; index += 1) {
    const operation = operationAt(scenario, settings, index)
    requests[operation] = (requests[operation] ?? 0) + 1
  }
  for (const { prompt, maxTokens } of planChats(scenario, settings, arrivals)) {
    chatTokens.prompt += mostPromptTokens(prompt)
    chatTokens.completion += maxTokens
  }
  return { requests, chatTokens, chatModel: models.chat }
}

/** Its chats in their order, as the script will send them; none where nobody can say how many there will be. */
export function* planChats(scenario: string, settings: LoadSettings, arrivals: Arrivals): Generator<PlannedChat> {
  const { promptWords, maxTokens, seed, asksForEcho = false } = settings
  const count = countOf(scenario, settings, arrivals) ?? 0
  for (let index = 0; index < count; index += 1) {
    const operation = operationAt(scenario, settings, index)
    if (operation !== 'chat' && operation !== 'chat-stream') continue
    yield {
      prompt: promptOf(seed, index, arrivals.promptTokens?.[index] ?? promptWords, asksForEcho),
      maxTokens: scenario === 'rate-limit' ? 1 : (arrivals.outputTokens?.[index] ?? maxTokens),
    }
  }
}

function countOf(
  scenario: string,
  { arrivals: kind, iterations }: LoadSettings,
  { atMs }: Arrivals,
): number | undefined {
  if (scenario === 'credit-drain') return undefined
  return kind === 'closed' ? iterations : atMs.length
}

/** What request `index` of a scenario asks for: as its script has it. */
function operationAt(scenario: string, settings: LoadSettings, index: number): LoadOperation {
  switch (scenario) {
    case 'smoke':
      return operationInTurn(index)
    case 'mixed':
    case 'soak':
      return chooseOperation(settings, index)
    case 'rate-limit':
      return 'chat'
    case 'abort':
      return 'chat-stream'
    default:
      return LOAD_OPERATIONS.find((operation) => operation === scenario) ?? 'chat'
  }
}
