import { isPresent, type Completion, type Usage } from '../completion.ts'
import { chain, changeBodies, changeChunks, changeCompletions, dropEvents } from '../change-messages.ts'
import type { GatewayRequest, GatewayResponse } from '../gateway-message.ts'
import type { GatewayFault } from '../gateway-mutant.ts'

export const USAGE_MUTANTS: readonly GatewayFault[] = [
  {
    id: 'gateway/usage-added-up',
    breaks: 'the usage of all chunks of a stream is added up, although each chunk has the usage so far',
    kills: ['gateway/stream-usage'],
    middleware: changeChunks(() => {
      let sum: Usage = {}
      return ({ usage }) => {
        if (isPresent(usage)) sum = Object.assign(usage, addUsage(sum, usage))
      }
    }),
  },
  {
    id: 'gateway/chunks-without-choices-dropped',
    breaks: 'chunks without choices are dropped, and with them the usage that the client asked for',
    kills: ['gateway/stream-usage'],
    mayAffect: ['gateway/usage-form', 'gateway/heartbeats', 'gateway/event-form'],
    middleware: dropEvents(({ chunk }) => chunk?.choices?.length === 0),
  },
  {
    id: 'gateway/reasoning-tokens-subtracted',
    breaks: 'the reasoning tokens are not part of the completion tokens',
    kills: ['gateway/stream-usage', 'gateway/completion-usage'],
    middleware: chain(
      changeChunks(() => subtractReasoning),
      changeCompletions(subtractReasoning),
    ),
  },
  {
    id: 'gateway/completion-usage-doubled',
    breaks: 'the usage of a completion is doubled',
    kills: ['gateway/completion-usage'],
    middleware: changeCompletions(doubleUsage),
  },
  {
    id: 'gateway/usage-details-dropped',
    breaks: 'nothing: the details of cached and reasoning tokens are dropped',
    kills: ['gateway/usage-form'],
    middleware: chain(
      changeChunks(() => dropUsageDetails),
      changeCompletions(dropUsageDetails),
    ),
  },
  {
    id: 'gateway/usage-in-finish-chunk',
    breaks: 'nothing: a stream reports its usage in a chunk with an empty choice',
    kills: ['gateway/usage-form'],
    middleware: changeChunks(() => (chunk) => {
      if (isPresent(chunk.usage) && chunk.choices?.length === 0) {
        chunk.choices = [{ index: 0, delta: {}, finish_reason: null }]
      }
    }),
  },
  {
    id: 'gateway/speech-as-text',
    breaks: 'the bytes of speech are decoded as UTF-8',
    kills: ['gateway/speech-bytes'],
    middleware: changeBodies(isSuccess('/v1/audio/speech'), (bytes) => bytes.toString('utf8')),
  },
  {
    id: 'gateway/transcription-as-latin1',
    breaks: 'a transcription is decoded as Latin-1',
    kills: ['gateway/transcription-text'],
    middleware: changeBodies(isSuccess('/v1/audio/transcriptions'), (bytes) => bytes.toString('latin1')),
  },
]

function isSuccess(path: string): (request: GatewayRequest, response: GatewayResponse) => boolean {
  return ({ target }, { status }) => target.startsWith(path) && status === 200
}

function addUsage(left: Usage, right: Usage): Usage {
  return {
    prompt_tokens: (left.prompt_tokens ?? 0) + (right.prompt_tokens ?? 0),
    completion_tokens: (left.completion_tokens ?? 0) + (right.completion_tokens ?? 0),
    total_tokens: (left.total_tokens ?? 0) + (right.total_tokens ?? 0),
  }
}

function doubleUsage({ usage }: Completion): void {
  if (isPresent(usage)) Object.assign(usage, addUsage(usage, usage))
}

function dropUsageDetails({ usage }: Completion): void {
  delete usage?.prompt_tokens_details
  delete usage?.completion_tokens_details
}

function subtractReasoning({ usage }: Completion): void {
  if (!isPresent(usage)) return
  const { reasoning_tokens: tokens = 0 } = Object(usage.completion_tokens_details)
  if (usage.completion_tokens !== undefined) usage.completion_tokens -= Number(tokens)
  if (usage.total_tokens !== undefined) usage.total_tokens -= Number(tokens)
}
