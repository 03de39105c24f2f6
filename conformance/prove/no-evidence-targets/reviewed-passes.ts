import { OPERATION_NAMES } from '../../../contract/facts.ts'

/** A check that rightly passes against some targets without evidence, because their responses satisfy it. */
interface ReviewedPass {
  readonly checks: readonly string[]
  /** Names of targets without evidence. */
  readonly targets: readonly string[]
  readonly reason: string
}

const TARGETS_WITHOUT_RESULT = [
  'web-page',
  'empty-object',
  'health',
  'empty-list',
  'empty-200',
  'no-content',
  'error-in-200',
] as const
const SPECIFIED_ERROR_STATUSES = ['all-400', 'all-401', 'all-402', 'all-404', 'all-429'] as const
const STREAMS = ['no-events', 'comments-alone', 'done-alone', 'cut-streams', 'no-usage'] as const

const TEXT_STREAMS = ['no-usage', 'cut-streams'] as const

function review(targets: readonly string[], checks: readonly string[], reason: string): ReviewedPass {
  return { targets, checks, reason }
}

/** Passes that a person has reviewed. `prove` fails if another check passes, or if a listed check does not pass. */
export const REVIEWED_PASSES: readonly ReviewedPass[] = [
  review(
    [...TARGETS_WITHOUT_RESULT, ...SPECIFIED_ERROR_STATUSES, ...STREAMS],
    OPERATION_NAMES.map((name) => `7/statuses-${name}`),
    'The requirement concerns only the status, and every status is a success or in the table of section 7.',
  ),
  review(
    [...TARGETS_WITHOUT_RESULT, ...SPECIFIED_ERROR_STATUSES, 'login-redirect', ...STREAMS],
    OPERATION_NAMES.map((name) => `7/breakdown-${name}`),
    'The requirement concerns 5xx and missing responses. Every request got a complete response below 500.',
  ),
  review(
    [...TARGETS_WITHOUT_RESULT, ...SPECIFIED_ERROR_STATUSES, 'login-redirect', ...STREAMS],
    ['7/flakes'],
    'No request failed with 5xx or without a response.',
  ),
  review(
    ['all-503'],
    ['7/flakes'],
    'No request succeeded when it was repeated. 7/breakdown-chat and the like report these failures.',
  ),
  review(
    ['empty-list', 'no-usage', 'cut-streams'],
    ['7/rejected-in-parallel'],
    'The target serves valid requests, and rejects none of them in parallel.',
  ),
  review(
    ['empty-200', 'no-content', ...SPECIFIED_ERROR_STATUSES, 'login-redirect'],
    ['4/head-body'],
    'The requirement concerns every response to HEAD, and none of these targets sends a body.',
  ),
  review(
    ['empty-list'],
    [
      '1/json-without-mark',
      '1/models-offered',
      '1/json-media-type-models',
      '1/sdk-list',
      '4.1/list-shape',
      '5/valid-key-models',
      '5/key-prefix',
    ],
    'The response is a list of models, although an empty one. 2.1/all-listed reports the missing models.',
  ),
  review(TEXT_STREAMS, ['4.2/every-stream'], 'Every stream has events, and none of them reports an error.'),
  review(
    TEXT_STREAMS,
    ['1/own-answer', '1/own-answer-everywhere'],
    'The completions contain text, and none contains the nonce of another request.',
  ),
  review(
    TEXT_STREAMS,
    ['4.2/stream-form-everywhere'],
    'All streams have the same form. The checks of single conventions evaluate this form.',
  ),
  review(
    TEXT_STREAMS,
    [
      '4.2/stream-media-type',
      '4.2/every-stream-media-type',
      '4.2/stream-events',
      '4.2/streams-at-once',
      '2.1/all-stream-chat',
      '2.3/role-system-each-model',
      '4.2/unicode-stream',
      '5/valid-key-everywhere-chat',
    ],
    'The target streams: it sends text/event-stream responses with events, for every model and in parallel. 4.2/finish-reason-last, 4.2/done-last and 4.2/stream-time-out report a missing end.',
  ),
  review(
    TEXT_STREAMS,
    [
      '4.2/chunk-json',
      '4.2/chunk-object',
      '4.2/chunk-id',
      '4.2/chunk-index',
      '4.2/role-first',
      '4.2/content-text',
      '4.2/no-error-member',
      '4.2/last-frame-closed',
    ],
    'The stream contains chunks in the format that client SDKs need. Client SDKs do not require usage.',
  ),
  review(['no-usage'], ['4.2/finish-reason-last', '4.2/done-last'], 'The stream ends with a finish_reason and [DONE].'),
  review(
    TEXT_STREAMS,
    ['4.2/usage-not-asked'],
    'Every chunk of the stream has a choice. Clients that read choices[0] of each chunk do not break.',
  ),
  review(TEXT_STREAMS, ['4.2/frame-form'], 'The streams have no frames that measured clients cannot read.'),
  review(TEXT_STREAMS, ['4.2/left-stream'], 'The target serves the request after the aborted streams.'),
  review(
    TEXT_STREAMS,
    ['4.2/stream-options-accepted', '4.2/stream-accept-json'],
    'The plain request and the request of client SDKs both got a stream with text.',
  ),
  review(
    TEXT_STREAMS,
    ['4.2/compressed-stream-progress'],
    'The stream has events and is not compressed, although the request accepts compression.',
  ),
  review(TEXT_STREAMS, ['1/sdk-stream'], 'The openai SDK read the text that the stream contains.'),
  review(['no-usage'], ['1/sdk-stream-helper'], 'The stream helper of the openai SDK read the whole stream.'),
  review(
    ['no-usage'],
    ['4.2/max-tokens-everywhere', '4.2/max-tokens-bound-stream', '8/max-tokens-default-stream'],
    'The complete text of the stream, "Hello.", has 6 bytes, which cannot be more than 16 tokens.',
  ),
]
