import type { BehaviourOptions } from '../../options/unspecified-behaviour/behaviour-options.ts'

/** Value of `include` that requests log probabilities. */
const LOG_PROBABILITIES = 'message.output_text.logprobs'

/**
 * Converts `include` and `top_logprobs` to the fields `logprobs` and `top_logprobs` of a chat request. `top_logprobs` has
 * an effect only if `include` requests log probabilities.
 * @returns the fields, and the names of the fields and values that have no effect, for the request log
 */
export function readLogProbabilityFields(
  values: { readonly include: readonly unknown[] | undefined; readonly top_logprobs: number | undefined },
  behaviour: BehaviourOptions,
) {
  const { include = [], top_logprobs: top } = values
  const isIncluded = include.includes(LOG_PROBABILITIES) && behaviour.logprobs !== 'ignored'
  const ignored = include
    .filter((value) => typeof value === 'string' && !(isIncluded && value === LOG_PROBABILITIES))
    .map((value) => `include.${String(value)}`)
  return {
    fields: { ...(isIncluded ? { logprobs: true } : {}), ...(top === undefined ? {} : { top_logprobs: top }) },
    ignored: top === undefined || isIncluded ? ignored : [...ignored, 'top_logprobs'],
  }
}
