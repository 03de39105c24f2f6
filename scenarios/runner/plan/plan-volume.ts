import { chooseOperation, operationInTurn } from '../../lib/choose-operation.ts'
import type { LoadSettings } from '../../lib/load-settings.ts'
import type { Arrivals } from '../../lib/plan-arrivals.ts'
import { mostPromptTokens, promptOf } from '../../lib/prompts.ts'
import { LOAD_OPERATIONS, type LoadOperation } from '../../lib/load-operation.ts'
import type { LoadVolume } from '../money/forecast.ts'

/** What a run would send: exact counts of requests, and upper bounds of tokens. */
export function planVolume(scenario: string, settings: LoadSettings, arrivals: Arrivals): LoadVolume {
  const { models, iterations, promptWords, maxTokens, seed } = settings
  const count = settings.arrivals === 'closed' ? iterations : arrivals.atMs.length
  const chatTokens = { prompt: 0, completion: 0 }
  if (count === undefined || scenario === 'credit-drain') return { requests: null, chatTokens, chatModel: models.chat }
  const requests: Partial<Record<LoadOperation, number>> = {}
  for (let index = 0; index < count; index += 1) {
    const operation = operationAt(scenario, settings, index)
    requests[operation] = (requests[operation] ?? 0) + 1
    if (operation !== 'chat' && operation !== 'chat-stream') continue
    const prompt = promptOf(seed, index, arrivals.promptTokens?.[index] ?? promptWords, settings.asksForEcho ?? false)
    chatTokens.prompt += mostPromptTokens(prompt)
    chatTokens.completion += scenario === 'rate-limit' ? 1 : (arrivals.outputTokens?.[index] ?? maxTokens)
  }
  return { requests, chatTokens, chatModel: models.chat }
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
