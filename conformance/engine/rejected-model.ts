import type { Exchange } from '../http/exchange.ts'
import { createExcerpt } from '../findings/json-excerpt.ts'
import type { RunRemark } from '../findings/run-remark.ts'

/** Statuses that services send for an unknown model. */
const UNKNOWN_MODEL_STATUSES: readonly number[] = [400, 403, 404]

/**
 * Returns a remark if the target rejected a small chat because of its model: the error message names the model, or its
 * code is `model_not_found`. The owner of a target with other models must then declare them.
 * @param listedIds IDs in the target's list of models
 */
export function findRejectedModelRemark(
  model: string,
  { status, error, json }: Exchange,
  listedIds: readonly string[],
): RunRemark | undefined {
  if (model === '' || error !== undefined || !UNKNOWN_MODEL_STATUSES.includes(status)) return undefined
  const text = JSON.stringify(json ?? '')
  if (!text.includes(JSON.stringify(model).slice(1, -1)) && !text.includes('model_not_found')) return undefined
  const isListed = listedIds.includes(model)
  return {
    code: 'model-rejected',
    params: { model, actualStatus: status, message: createExcerpt(findMessage(json)), isListed },
  }
}

/** Returns the message of an error body in one of the usual forms, or the whole body. */
function findMessage(json: unknown): unknown {
  const error = memberOf(json, 'error')
  return memberOf(error, 'message') ?? error ?? memberOf(json, 'detail') ?? memberOf(json, 'message') ?? json
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}
