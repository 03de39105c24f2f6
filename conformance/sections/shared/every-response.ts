import * as expect from '../../findings/expect.ts'
import type { AnyCheck } from '../../engine/check.ts'
import { readListedIds } from '../../engine/discover-models.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { SMALL_MAX_TOKENS } from '../../requests/small-max-tokens.ts'
import { findListDeviation } from '../2.1-models/models.ts'
import {
  findCompletionDeviation,
  findUsageSumDeviation,
  NOT_JSON,
  USAGE_SUM_CONSEQUENCE,
} from '../2.3-completion/completion.ts'
import { maxTokensBoundCheck, maxTokensDefaultCheck } from '../4.2-chat/chat.ts'
import { findStreamErrorDeviation } from '../4.2-stream/chat-stream.ts'
import { streamBoundCheck, streamDefaultBoundCheck } from '../4.2-stream/stream-bound.ts'
import { findImageResultDeviation } from '../4.3-images/images.ts'
import { largeChatCheck } from '../7-errors/unusual-bodies.ts'
import { findDeclaredValue } from '../../differences/declared-differences.ts'
import { compareMediaType, findTypeDeviation } from './fields.ts'
import { boundOf, type TokenBound } from './long-completion.ts'
import { findMp3FrameDeviation } from '../4.5-speech/mp3.ts'
import { getCompletionTokens, getMember, isCount } from './response-access.ts'
import {
  type ParsedRequestFields,
  hasOnlyFields,
  type Invariant,
  defineInvariantCheck,
  type LoggedResponse,
  listSuccessfulResponses,
} from './recorded-responses.ts'
import { findExcessLength, measureStream } from '../4.2-stream/stream-length.ts'
import { isTruncatedStream, parseStream } from './stream.ts'

// The specification defines the response to every request, whereas the checks of fields send plain requests.

const isValid = ({ logged }: LoggedResponse): boolean => logged.kind === 'valid'

/** Returns whether the target served a valid chat with whitespace after its last field. */
const isLargeChat = ({ logged }: LoggedResponse): boolean =>
  logged.source === largeChatCheck.id && expect.isServed(logged.exchange)

/** Returns whether the request is the plain chat that most checks send, or its streamed form if `stream` is set. */
function isPlainChat({ fields }: LoggedResponse, { stream }: { readonly stream?: true } = {}): boolean {
  return (
    hasOnlyFields(fields, ['model', 'messages', 'max_tokens', 'stream']) &&
    fields['stream'] === stream &&
    [undefined, ...Object.values<unknown>(SMALL_MAX_TOKENS)].includes(fields['max_tokens']) &&
    String(getMember(fields, 'messages', 0, 'content')).startsWith('Say hello to ')
  )
}

/** Checks that report a target that always exceeds the bound, so that other checks omit their requests. */
const BOUND_CHECKS: ReadonlySet<string> = new Set([
  maxTokensBoundCheck.id,
  maxTokensDefaultCheck.id,
  streamBoundCheck.id,
  streamDefaultBoundCheck.id,
])

const BOUNDED_MEMBERS = ['model', 'messages', 'max_tokens', 'temperature', 'stream', 'stream_options']

function boundOfFields({ max_tokens: maxTokens }: ParsedRequestFields, defaultBound?: number): TokenBound {
  return boundOf(maxTokens === undefined || maxTokens === null ? undefined : Number(maxTokens), defaultBound)
}

/** Returns whether the length can be compared: it is visible, or its visible part already exceeds the bound. */
function hasVisibleLength(response: LoggedResponse): boolean {
  const { logged, fields } = response
  if (logged.exchange.wasAborted === true) return false
  const bound = fields['max_tokens']
  const isBounded = bound === undefined || (isCount(bound) && bound !== 0)
  if (!('messages' in fields) || !hasOnlyFields(fields, BOUNDED_MEMBERS) || !isBounded) return false
  if (fields['stream'] !== true) return getCompletionTokens(logged.exchange.json) !== undefined
  const length = measureStream(logged.exchange)
  const isShort = length.bytes > 0 && length.bytes <= boundOfFields(fields).bound
  const isWhole = (length.tokens !== undefined || isShort) && !isTruncatedStream(logged.exchange)
  return isWhole || findExcessLength(length, boundOfFields(fields)) !== undefined
}

/** Selects image requests with valid fields. Neither a maximum of `n` nor the valid sizes are stated. */
function isImageRequest({ fields }: LoggedResponse): boolean {
  const { n = 1, size = '1x1' } = fields
  return (
    typeof fields['prompt'] === 'string' &&
    hasOnlyFields(fields, ['model', 'prompt', 'n', 'size']) &&
    isCount(n) &&
    n !== 0 &&
    /^\d+x\d+$/.test(String(size))
  )
}

/** Returns true for a speech request with valid fields. The specification does not limit the length of the text. */
function isSpeechRequest({ fields }: LoggedResponse): boolean {
  const { input } = fields
  return typeof input === 'string' && input !== '' && hasOnlyFields(fields, ['model', 'input'])
}

function hasChunks({ logged }: LoggedResponse): boolean {
  return parseStream(logged.exchange).chunks.length > 0
}

function isLabelledOtherwise({ logged }: LoggedResponse): boolean {
  return compareMediaType(logged.exchange, 'text/event-stream') !== undefined
}

function listedModels({ logged }: LoggedResponse): readonly unknown[] | undefined {
  const data = getMember(logged.exchange.json, 'data')
  return Array.isArray(data) ? data : undefined
}

const INVARIANTS: readonly Invariant[] = [
  {
    id: '2.3/usage-adds-up-everywhere',
    requirement: '2.3/usage-total',
    title: 'reports total_tokens as the sum in every usage, including that of streams',
    operation: 'chat',
    expected: { rule: 'usage-adds-up' },
    consequence: USAGE_SUM_CONSEQUENCE,
    concerns: (response) => USAGE_COUNTS.every((name) => isCount(getMember(usageOf(response), name))),
    lacking: 'usage',
    isPlain: (response) => isPlainChat(response),
    find: (response) => findUsageSumDeviation(usageOf(response)),
  },
  {
    id: '2.3/usage-prompt',
    requirement: '2.3/usage-prompt',
    title: 'reports prompt tokens for each prompt with text',
    operation: 'chat',
    expected: { rule: 'prompt-tokens' },
    consequence: 'programs that calculate costs or the length of a conversation from usage ignore the prompts',
    concerns: (response) => isValid(response) && isCount(getMember(usageOf(response), 'prompt_tokens')),
    lacking: 'usage',
    // No other check reports the number of prompt tokens.
    isPlain: () => false,
    find: (response) =>
      getMember(usageOf(response), 'prompt_tokens') === 0
        ? { code: 'wrong-value', params: { path: 'usage.prompt_tokens', actual: 0 } }
        : undefined,
  },
  {
    id: '4.1/every-list',
    requirement: '4.1/response',
    title: 'returns a list of model objects in every successful response',
    operation: 'models',
    expected: { rule: 'model-list' },
    // An empty list contains no model. The check 2.1/all-listed reports it.
    concerns: (response) => isValid(response) && listedModels(response)?.length !== 0,
    isPlain: isValid,
    find: ({ logged }) => findListDeviation(logged.exchange.json),
  },
  {
    id: '4.2/max-tokens-everywhere',
    requirement: '4.2/max-tokens',
    title: 'returns no more tokens than max_tokens in any completion, of any model, streamed or not',
    operation: 'chat',
    expected: { rule: 'max-tokens' },
    concerns: hasVisibleLength,
    isPlain: ({ logged }) => BOUND_CHECKS.has(logged.source),
    find: ({ logged: { exchange }, fields }, { differences }) => {
      const declared = findDeclaredValue(differences, 'maxTokensDefault')
      const { bound, ...kind } = boundOfFields(fields, declared === 'none' ? Number.POSITIVE_INFINITY : declared)
      if (fields['stream'] === true) {
        const excess = findExcessLength(measureStream(exchange), { bound, ...kind })
        return excess?.code === 'bound-exceeded' ? { ...excess, params: { ...excess.params, bound } } : excess
      }
      const tokens = getCompletionTokens(exchange.json)
      return tokens !== undefined && tokens > bound
        ? { code: 'bound-exceeded', params: { path: 'usage.completion_tokens', actual: tokens, bound, ...kind } }
        : undefined
    },
  },
  {
    id: '4.2/every-completion',
    requirement: '4.2/answer-without-stream',
    title: 'returns a completion object with the requested model in every response without streaming',
    operation: 'chat',
    expected: { rule: 'completion-object' },
    concerns: (response) => (isValid(response) || isLargeChat(response)) && response.fields['stream'] !== true,
    isPlain: (response) => isPlainChat(response),
    find: ({ logged: { exchange }, fields }, run) =>
      exchange.json === undefined
        ? NOT_JSON
        : findCompletionDeviation(exchange.json, String(fields['model']), {
            aliases: run.aliases,
            listed: listSuccessfulResponses(run, 'models').flatMap((list) => readListedIds(list.logged.exchange.json)),
          }),
  },
  {
    id: '4.2/every-stream',
    requirement: '4.2/answer-with-stream',
    title: 'reports no error in a stream',
    operation: 'chat',
    expected: { rule: 'stream-without-error' },
    includesStreamErrors: true,
    concerns: (response) => isValid(response) && hasChunks(response),
    // No other check reports errors of single streams.
    isPlain: () => false,
    find: ({ logged }) => findStreamErrorDeviation(logged.exchange),
  },
  {
    id: '4.2/every-stream-media-type',
    requirement: '4.2/answer-with-stream',
    title: 'labels every stream as text/event-stream',
    operation: 'chat',
    expected: { mediaType: 'text/event-stream' },
    concerns: (response) =>
      isValid(response) &&
      response.fields['stream'] === true &&
      expect.isServed(response.logged.exchange) &&
      (hasChunks(response) || isLabelledOtherwise(response)),
    isPlain: (response) => isPlainChat(response, { stream: true }),
    find: ({ logged }) => compareMediaType(logged.exchange, 'text/event-stream'),
  },
  {
    id: '4.2/stream-model',
    requirement: '4.2/stream-habits',
    title: 'names no other model of the target in the chunks of a stream',
    operation: 'chat',
    expected: { rule: 'model-of-request' },
    consequence: 'applications that record the model of a stream attribute its tokens and costs to a different model',
    concerns: (response) => isValid(response) && hasChunks(response),
    // No other check reports the model of chunks.
    isPlain: () => false,
    find: (response, run) => {
      const requested = response.fields['model']
      // Another name may be an alias of the requested model, unless the target also serves requests with this name.
      const others = new Set(listSuccessfulResponses(run, 'chat').map(({ fields }) => fields['model']))
      const model = modelsOfChunks(response).find((name) => name !== requested && others.has(name))
      return model === undefined
        ? undefined
        : { code: 'wrong-value', params: { path: 'model', actual: createExcerpt(model) } }
    },
  },
  {
    id: '4.3/every-result',
    requirement: '4.3/response',
    title: 'returns an image generation result for every image request',
    operation: 'images',
    expected: { rule: 'image-result' },
    concerns: isImageRequest,
    isPlain: ({ fields }) => hasOnlyFields(fields, ['model', 'prompt']),
    find: ({ logged }, run) => findImageResultDeviation(logged.exchange, run),
  },
  {
    id: '4.4/every-result',
    requirement: '4.4/response',
    title: 'returns a transcription result in every successful response',
    operation: 'transcriptions',
    expected: { field: 'text', type: 'string' },
    concerns: ({ fields }) =>
      typeof fields['file'] === 'object' && hasOnlyFields(fields, ['model', 'file', 'language']),
    isPlain: ({ fields }) => hasOnlyFields(fields, ['model', 'file']),
    find: ({ logged }) => findTypeDeviation(logged.exchange.json, ['text'], 'string'),
  },
  {
    id: '4.5/every-answer',
    requirement: '4.5/response',
    title: 'returns complete MP3 data for every speech request',
    operation: 'speech',
    expected: { rule: 'mp3-frames' },
    concerns: (response) => isValid(response) || isSpeechRequest(response),
    isPlain: (response) => isValid(response) && hasOnlyFields(response.fields, ['model', 'input']),
    find: ({ logged }) => findMp3FrameDeviation(logged.exchange.body),
  },
]

const USAGE_COUNTS = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const

function modelsOfChunks({ logged }: LoggedResponse): string[] {
  const models = parseStream(logged.exchange).chunks.map(({ json }) => getMember(json, 'model'))
  return models.filter((model) => typeof model === 'string')
}

/** Returns the usage of a completion. For a stream, returns the usage of its last event that has one. */
function usageOf({ logged: { exchange }, fields }: LoggedResponse): unknown {
  if (fields['stream'] !== true) return getMember(exchange.json, 'usage')
  return parseStream(exchange)
    .chunks.map(({ usage }) => usage)
    .findLast((usage) => usage !== undefined && usage !== null)
}

export const everyResponseChecks: readonly AnyCheck[] = INVARIANTS.map(defineInvariantCheck)
