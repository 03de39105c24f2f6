import type { Completion } from '../../operations/completion.ts'
import type { OutputItem } from './response-items.ts'
import { createResponseId } from './output-items.ts'

/** Fields of a response that repeat the request. */
export type EchoedFields = Readonly<Record<string, unknown>>

/** Returns the status of a finished response: `incomplete` if it is truncated or filtered. */
export function getFinalStatus({ finishReason }: Completion): 'completed' | 'incomplete' {
  return getIncompleteReason(finishReason) === undefined ? 'completed' : 'incomplete'
}

function getIncompleteReason(finishReason: string): 'max_output_tokens' | 'content_filter' | undefined {
  if (finishReason === 'length') return 'max_output_tokens'
  return finishReason === 'content_filter' ? finishReason : undefined
}

/** Creates the response object for the first events of a stream, when its output does not exist yet. */
export function createPendingResponse(completion: Completion, echoed: EchoedFields): object {
  return createObject(completion, echoed, { status: 'in_progress', incomplete_details: null, output: [], usage: null })
}

export function createFinalResponse(
  completion: Completion,
  echoed: EchoedFields,
  output: readonly OutputItem[],
): object {
  const reason = getIncompleteReason(completion.finishReason)
  return createObject(completion, echoed, {
    status: getFinalStatus(completion),
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: createUsage(completion),
  })
}

function createObject(completion: Completion, echoed: EchoedFields, state: object): object {
  const { created, model } = completion
  return {
    id: createResponseId(completion),
    object: 'response',
    created_at: created,
    background: false,
    error: null,
    model,
    ...echoed,
    ...state,
  }
}

/** Creates the usage object. A scripted usage, which has the field names of chat, replaces the counted tokens. */
function createUsage(completion: Completion) {
  const { promptTokens, completionTokens, usage = {} } = completion
  const read = (name: string, counted: number) => {
    const value = usage[name]
    return typeof value === 'number' ? value : counted
  }
  const input = read('prompt_tokens', promptTokens)
  const output = read('completion_tokens', completionTokens)
  return {
    input_tokens: input,
    input_tokens_details: { cache_write_tokens: 0, cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: completion.reasoning?.tokens ?? 0 },
    total_tokens: read('total_tokens', input + output),
  }
}
