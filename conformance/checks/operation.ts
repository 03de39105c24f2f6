import { OPERATIONS } from '../../contract/facts.ts'
import type { Operation } from '../../contract/facts.ts'
import type { Check, Cost, Need, RequestHelpers } from '../engine/check.ts'
import { SPECIFIED_MODELS } from '../engine/model-catalog.ts'
import type { RequestOptions } from '../requests/api-request.ts'
import type { Exchange } from '../http/exchange.ts'
import { OPTION_TABLE } from '../options/option-table.ts'

/** Upper bound of the tokens of one small chat: a prompt of a few words and 16 tokens of response. */
export const SMALL_CHAT_TOKENS = 64

/**
 * Returns `cost` plus the cost of chats with each model that must serve chat. Default: one small chat for each model.
 */
export function withChatOfEachModel(
  cost: Cost,
  { requests = 1, tokens = SMALL_CHAT_TOKENS }: { readonly requests?: number; readonly tokens?: number } = {},
): Required<Pick<Check, 'cost' | 'costWith'>> {
  const costOfModels = (models: readonly string[]): Cost => ({
    ...cost,
    requests: cost.requests + requests * models.length,
    tokensByModel: { ...cost.tokensByModel, ...Object.fromEntries(models.map((id) => [id, requests * tokens])) },
  })
  return {
    cost: costOfModels(SPECIFIED_MODELS.chatModels()),
    costWith: ({ catalog }) => costOfModels(catalog.chatModels()),
  }
}

/** All operations in the order of the specification. */
export const ALL_OPERATIONS: readonly Operation[] = ['models', 'chat', 'images', 'transcriptions', 'speech']

/** The operations with a JSON body. */
export const JSON_OPERATIONS = ['chat', 'images', 'speech'] as const

/** An operation with a JSON body. */
export type JsonOperation = (typeof JSON_OPERATIONS)[number]

/** The operations that cost credits. */
export const CHARGED_OPERATIONS = ['chat', 'images', 'transcriptions', 'speech'] as const

/** Sends the plainest valid request of an operation. */
export function sendPlainRequest(
  requests: RequestHelpers,
  operation: Operation,
  options?: RequestOptions,
): Promise<Exchange> {
  if (operation === 'models') return requests.listModels(options)
  return requests[operation]({}, options)
}

/** Sends a valid request of an operation with this model. */
export function sendWithModel(
  requests: RequestHelpers,
  operation: Exclude<Operation, 'models'>,
  model: string,
): Promise<Exchange> {
  return requests[operation]({ model })
}

/** Prerequisites of a valid request of the operation. */
export function listNeeds(operation: Operation): readonly Need[] {
  return operation === 'models' ? ['key'] : ['key', `${operation}Model`]
}

/** Returns the upper bound of the cost of a number of small requests of the operation. */
export function boundCost(operation: Operation, requests: number): Cost {
  return operation === 'chat' ? { requests, chatTokens: requests * SMALL_CHAT_TOKENS } : { requests }
}

/** Number of requests sent before the whole burst. If one of them gets a 429, the burst is not needed. */
export const FEW_REQUESTS = 7

/** Returns the cost of a check that sends this many bursts of chats plus `others`. */
export function boundBurstCost(bursts: number, others = 0): Required<Pick<Check, 'cost' | 'costWith'>> {
  const costAt = (limitedBurst: number) => boundCost('chat', bursts * (limitedBurst + FEW_REQUESTS) + others)
  return {
    cost: costAt(OPTION_TABLE.limitedBurst.default),
    costWith: ({ limitedBurst }) => costAt(limitedBurst),
  }
}

/** Returns the section of the specification that describes the operation, e.g. `4.2`. */
export function findSection(operation: Operation): string {
  return OPERATIONS[operation].section
}
