import { PARAMETER_DEFAULTS, IMAGE_PATH_PREFIX, KEY_PREFIX, MODELS } from '../../contract/facts.ts'
import { formatExcerpt } from './json-excerpt.ts'
import type { JsonExcerpt } from './fact-params.ts'

export type ExpectedStatus = number | '2xx' | '4xx'

/** What a response must satisfy, according to a quoted sentence or a convention. */
export type Expectation =
  | { readonly status: readonly ExpectedStatus[] }
  | { readonly field: string; readonly type: FieldType }
  | { readonly field: string; readonly value: JsonExcerpt }
  | { readonly field: string; readonly atMost: number }
  | { readonly tokensAtMost: number }
  /** `orStatus` is an error status that the target may send instead. */
  | { readonly field: string; readonly count: number; readonly orStatus?: number }
  | { readonly mediaType: string }
  | { readonly header: string }
  /** Field of an error body that contains the error, as declared by the target's owner. */
  | { readonly errorField: string }
  | { readonly sdkError: string; readonly status: number }
  | { readonly creditsPerToken: number }
  | { readonly limitedRequests: number }
  /** Text of a declaration by the target's owner. */
  | { readonly declared: string }
  | { readonly maxFlakesPercent: number }
  | { readonly rule: ExpectationRule }

/** Describes an expectation. Returns a list with one phrase for each alternative that meets it. */
export function describeExpectation(expectation: Expectation): readonly string[] {
  if ('rule' in expectation) return RULES[expectation.rule]
  if ('field' in expectation) return fieldPhrases(expectation)
  if ('tokensAtMost' in expectation) return [`at most ${expectation.tokensAtMost} tokens`]
  if ('sdkError' in expectation) {
    return [`${expectation.sdkError} with status ${expectation.status} and the target's message`]
  }
  if ('status' in expectation) return expectation.status.map(String)
  if ('mediaType' in expectation) return [expectation.mediaType]
  if ('errorField' in expectation) return [`a JSON object with the field ${expectation.errorField}`]
  if ('header' in expectation) return [`a header ${expectation.header}`]
  if ('creditsPerToken' in expectation) return [`${expectation.creditsPerToken} credits a token`]
  if ('maxFlakesPercent' in expectation) return [`at most ${expectation.maxFlakesPercent} % of all requests break down`]
  if ('limitedRequests' in expectation) return [`429 for at least one of ${expectation.limitedRequests} parallel chats`]
  return [`as declared for this target: ${expectation.declared}`]
}

function fieldPhrases(expectation: Extract<Expectation, { field: string }>): readonly string[] {
  const { field } = expectation
  if ('type' in expectation) return [`${field}, ${TYPES[expectation.type]}`]
  if ('value' in expectation) return [`${field} = ${formatExcerpt(expectation.value)}`]
  if ('atMost' in expectation) return [`${field} of at most ${expectation.atMost}`]
  const { count, orStatus } = expectation
  const items = `${count === 1 ? 'one item' : `${count} items`} in ${field}`
  return orStatus === undefined ? [items] : [items, `${orStatus}: the upper bound is not specified`]
}

/** Field types. `unix-seconds` is a Unix time as an integer. */
const TYPES = {
  string: 'a string',
  integer: 'an integer',
  count: 'an integer of at least 0',
  object: 'an object',
  items: 'an array with items',
  objects: 'an array of objects',
  'unix-seconds': 'an integer Unix time in seconds',
} as const

export type FieldType = keyof typeof TYPES

/** Rules that go beyond the type of a single field, each with one phrase for each alternative that meets it. */
const RULES = {
  'as-upstream-sent': ['the client receives what the upstream sent'],
  'as-client-sent': ['the upstream receives what the client sent'],
  'visible-failure': ['a status of at least 400, an error event, or an aborted connection'],
  'one-upstream-request': ['one request to the upstream'],
  'upstream-hidden': ["no key and no address of the upstream in the gateway's responses"],
  'upstream-aborted': ['the upstream request ends when the client disconnects'],
  'served-afterwards': ['a served request after the others'],
  'event-by-event': ['each event as soon as the upstream has sent it'],
  'declared-models-listed': ['the declared models, and any others'],
  'all-models-listed': [`the ${MODELS.length} model IDs of §2.1 Model, and any others`],
  'model-of-request': ['the model of the request'],
  'stream-of-events': ['at least one event, and none that reports an error'],
  'stream-without-error': ['no event that reports an error, in any stream of a valid request'],
  'stream-ends-alike': ['the same end as that of a single stream'],
  'no-cross-talk': ['no text of another request in a response'],
  'sdk-sees-response': ['the SDK returns the content of the response'],
  'unique-id': ['different ids'],
  'response-of-own-key': ['401 or 402, even if the same request was served with another key'],
  'unique-model-ids': ['each model ID once in the list'],
  'usage-adds-up': ['total_tokens = prompt_tokens + completion_tokens'],
  usage: ['usage with prompt_tokens, completion_tokens and total_tokens, integers of at least 0'],
  list: ['object = "list" and data, an array of objects'],
  'model-list': ['object = "list" and data, an array of model objects with all their fields'],
  'completion-object': ['a chat completion object with all its fields'],
  'json-completion': ['a chat completion object, not a stream'],
  'image-result': ['an image generation result with all its fields'],
  'image-url-address': [`an address under {base_url}${IMAGE_PATH_PREFIX}`],
  'image-url-extension': ['an image file extension at the end of the url'],
  'image-file': ['a file at the address'],
  'image-file-kind': ['a file whose first bytes match its extension'],
  'image-file-media-type': ['the media type that belongs to the format of the file'],
  'image-size': ['an image of the size in the request'],
  'mp3-start': ['an ID3v2 tag or an MP3 frame'],
  'mp3-frames': ['a sequence of MP3 frames and tags'],
  binary: ['binary audio, not JSON'],
  speech: ['the same response as without the header'],
  'key-prefix': [`a key that starts with ${KEY_PREFIX}`],
  'charges-within-bound': ['at most the prompts and max_tokens at the price of the table'],
  'charges-by-table': ['the price of the table for every chat'],
  'within-balance': ['2xx within the balance', '402 beyond it'],
  'error-body': ['{"error": {"message": string, "type": string, "param", "code"}} as application/json'],
  'retry-after': ['Retry-After, seconds above 0 or a date'],
  recovery: ['a successful response within a second of Retry-After, at most 30 s'],
  'chunk-json': ['a JSON object in the data of each event'],
  'chunk-id': ['the same string id in each chunk'],
  'role-first': ['delta.role = "assistant" in the first chunk'],
  'content-text': ['at least one delta.content, each a string'],
  'finish-reason-last': ['finish_reason, a string, in one chunk after the text'],
  'no-error-member': ['chunks without "error"'],
  'choices-in-each-chunk': ['no event with an empty choices array unless usage was requested'],
  'done-last': ['data: [DONE] as the last event'],
  'stream-form': ['all streams in the form that the conventions for streams describe'],
  'stream-text': ['all words of the completion of an identical request, or a different text'],
  'prompt-tokens': ['at least one prompt token for a prompt with text'],
  'last-frame-closed': ['a blank line after the last frame'],
  'no-byte-order-mark': ['JSON without a byte order mark'],
  'readable-frames': ['frames that all tested client libraries can read'],
  'intact-text': ['text in valid UTF-8, without U+FFFD and without half characters'],
  'no-body': ['no body in a response to HEAD'],
  'no-breakdown': [
    'no 5xx, no cut connection and no missing response to a request that is valid, or whose treatment is unspecified',
  ],
  'tool-call': ['a tool call'],
  'named-tool-call': ['a call of the function that tool_choice names'],
  'tool-call-id': ['a string id in each tool call'],
  'tool-call-type': ['type = "function" in each tool call'],
  'tool-call-name': ['the name of an offered function in each tool call'],
  'tool-call-arguments': ['function.arguments, a string that contains a JSON object'],
  'tool-call-schema': ['arguments that conform to the schema of the function'],
  'tool-call-content': ['message.content, null or a string'],
  'tool-call-finish-reason': ['finish_reason = "tool_calls"'],
  'tool-calls-several': ['different ids'],
  'tool-stream-arguments': ['deltas of arguments that join to a string that contains a JSON object'],
  'tool-stream-index': ['an integer index in each delta of a tool call'],
  'tool-stream-start': ['id, type and name in the first delta of a tool call, and no id and name in later ones'],
  'tool-stream-several': ['an index for each tool call'],
  'tool-result': ['text, or another tool call'],
  'json-of-schema': ['message.content, JSON that conforms to the schema'],
  'json-object': ['message.content, a string that contains a JSON object'],
  'max-tokens': [`at most max_tokens, or ${PARAMETER_DEFAULTS.max_tokens} without it`],
  'stream-end': ['streams that reach their end, however long they take'],
  'stream-progress': ['events throughout the time that the completion takes'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type ExpectationRule = keyof typeof RULES
