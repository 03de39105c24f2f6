import type { Operation } from '../../../contract/facts.ts'
import type { Check, CheckCost, RequestHelpers } from '../../engine/check.ts'
import { calculateMaxCost, SMALL_CHAT_TOKENS } from '../../engine/check.ts'
import { SPECIFIED_MODELS } from '../../engine/model-catalog.ts'
import type { RequestOptions } from '../../requests/api-request.ts'
import type { Exchange } from '../../http/exchange.ts'
import { OPTION_TABLE } from '../../options/option-table.ts'

export function addChatCostPerModel(
  cost: CheckCost,
  { requests = 1, tokens = SMALL_CHAT_TOKENS }: { readonly requests?: number; readonly tokens?: number } = {},
): Required<Pick<Check, 'cost' | 'costWith'>> {
  const costOfModels = (models: readonly string[]): CheckCost => ({
    ...cost,
    requests: cost.requests + requests * models.length,
    tokensByModel: { ...cost.tokensByModel, ...Object.fromEntries(models.map((id) => [id, requests * tokens])) },
  })
  return {
    cost: costOfModels(SPECIFIED_MODELS.chatModels()),
    costWith: ({ catalog }) => costOfModels(catalog.chatModels()),
  }
}

/** Defines a check for each operation of a table. The table contains the ID of the check as a literal. */
export function forOperations<Name extends Operation, Definition>(
  ids: Readonly<Partial<Record<Name, string>>>,
  define: (operation: Name, id: string) => Definition,
): readonly Definition[] {
  // `Object.entries` does not keep the type of the names.
  return Object.entries(ids).map(([name, id]) => define(name as Name, id as string))
}

/** Sends a valid request of an operation with the fewest fields. */
export function sendPlainRequest(
  requests: RequestHelpers,
  operation: Operation,
  options?: RequestOptions,
): Promise<Exchange> {
  if (operation === 'models') return requests.listModels(options)
  return requests[operation]({}, options)
}

export function sendWithModel(
  requests: RequestHelpers,
  operation: Exclude<Operation, 'models'>,
  model: string,
): Promise<Exchange> {
  return requests[operation]({ model })
}

/** Number of requests that precede the burst. If the target does not serve all of them, there is no burst. */
export const FIRST_BURST_REQUESTS = 7

export function calculateMaxBurstCost(bursts: number, others = 0): Required<Pick<Check, 'cost' | 'costWith'>> {
  const costAt = (limitedBurst: number) =>
    calculateMaxCost('chat', bursts * (limitedBurst + FIRST_BURST_REQUESTS) + others)
  return {
    cost: costAt(OPTION_TABLE.limitedBurst.default),
    costWith: ({ limitedBurst }) => costAt(limitedBurst),
  }
}
