/**
 * A check that rightly passes against some targets without evidence, with the reason why their responses satisfy the
 * requirement.
 */
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

/** Passes that a person has reviewed. `prove` fails if another check passes, or if a listed check does not pass. */
export const REVIEWED_PASSES: readonly ReviewedPass[] = [
  {
    checks: [
      '7/statuses-models',
      '7/statuses-chat',
      '7/statuses-images',
      '7/statuses-transcriptions',
      '7/statuses-speech',
    ],
    targets: [...TARGETS_WITHOUT_RESULT, ...SPECIFIED_ERROR_STATUSES, ...STREAMS],
    reason: 'The requirement concerns only the status, and every status is a success or in the table of section 7.',
  },
  {
    checks: [
      '7/breakdown-models',
      '7/breakdown-chat',
      '7/breakdown-images',
      '7/breakdown-transcriptions',
      '7/breakdown-speech',
    ],
    targets: [...TARGETS_WITHOUT_RESULT, ...SPECIFIED_ERROR_STATUSES, 'login-redirect', ...STREAMS],
    reason: 'The requirement concerns 5xx and missing responses. Every request got a complete response below 500.',
  },
  {
    checks: ['7/flakes'],
    targets: [...TARGETS_WITHOUT_RESULT, ...SPECIFIED_ERROR_STATUSES, 'login-redirect', ...STREAMS],
    reason: 'No request failed with 5xx or without a response.',
  },
  {
    checks: ['7/flakes'],
    targets: ['all-503'],
    reason: 'No request succeeded when it was repeated. 7/breakdown-chat and the like report these failures.',
  },
  {
    checks: ['7/rejected-in-parallel'],
    targets: ['empty-list', 'no-usage', 'cut-streams'],
    reason: 'The target serves valid requests, and rejects none of them in parallel.',
  },
  {
    checks: ['4/head-body'],
    targets: ['empty-200', 'no-content', ...SPECIFIED_ERROR_STATUSES, 'login-redirect'],
    reason: 'The requirement concerns every response to HEAD, and none of these targets sends a body.',
  },
  {
    checks: [
      '1/json-without-mark',
      '1/models-offered',
      '1/json-media-type-models',
      '1/sdk-list',
      '4.1/list-shape',
      '5/valid-key-models',
      '5/key-prefix',
    ],
    targets: ['empty-list'],
    reason: 'The response is a list of models, although an empty one. 2.1/all-listed reports the missing models.',
  },
  {
    checks: ['4.2/every-stream'],
    targets: ['no-usage', 'cut-streams'],
    reason: 'Every stream has events, and none of them reports an error.',
  },
  {
    checks: ['1/own-answer', '1/own-answer-everywhere'],
    targets: ['no-usage', 'cut-streams'],
    reason: 'The completions contain text, and none contains the nonce of another request.',
  },
  {
    checks: ['4.2/stream-form-everywhere'],
    targets: ['no-usage', 'cut-streams'],
    reason: 'All streams have the same form. The checks of single conventions evaluate this form.',
  },
  {
    checks: [
      '4.2/stream-media-type',
      '4.2/every-stream-media-type',
      '4.2/stream-events',
      '4.2/streams-at-once',
      '2.1/all-stream-chat',
      '2.3/role-system-each-model',
      '4.2/unicode-stream',
      '5/valid-key-everywhere-chat',
    ],
    targets: ['no-usage', 'cut-streams'],
    reason:
      'The target streams: it sends text/event-stream responses with events, for every model and in parallel. 4.2/finish-reason-last, 4.2/done-last and 4.2/stream-time-out report a missing end.',
  },
  {
    checks: [
      '4.2/chunk-json',
      '4.2/chunk-object',
      '4.2/chunk-id',
      '4.2/chunk-index',
      '4.2/role-first',
      '4.2/content-text',
      '4.2/no-error-member',
      '4.2/last-frame-closed',
    ],
    targets: ['no-usage', 'cut-streams'],
    reason: 'The stream contains chunks in the format that client SDKs need. Client SDKs do not require usage.',
  },
  {
    checks: ['4.2/finish-reason-last', '4.2/done-last'],
    targets: ['no-usage'],
    reason: 'The stream ends with a finish_reason and [DONE].',
  },
  {
    checks: ['4.2/usage-not-asked'],
    targets: ['no-usage', 'cut-streams'],
    reason: 'Every chunk of the stream has a choice. Clients that read choices[0] of each chunk do not break.',
  },
  {
    checks: ['4.2/frame-form'],
    targets: ['no-usage', 'cut-streams'],
    reason: 'The streams have no frames that measured clients cannot read.',
  },
  {
    checks: ['4.2/left-stream'],
    targets: ['no-usage', 'cut-streams'],
    reason: 'The target serves the request after the aborted streams.',
  },
  {
    checks: ['4.2/stream-options-accepted', '4.2/stream-accept-json'],
    targets: ['no-usage', 'cut-streams'],
    reason: 'The plain request and the request of client SDKs both got a stream with text.',
  },
  {
    checks: ['4.2/compressed-stream-progress'],
    targets: ['no-usage', 'cut-streams'],
    reason: 'The stream has events and is not compressed, although the request accepts compression.',
  },
  {
    checks: ['1/sdk-stream'],
    targets: ['no-usage', 'cut-streams'],
    reason: 'The openai SDK read the text that the stream contains.',
  },
  {
    checks: ['1/sdk-stream-helper'],
    targets: ['no-usage'],
    reason: 'The stream helper of the openai SDK read the whole stream.',
  },
  {
    checks: ['4.2/max-tokens-everywhere', '4.2/max-tokens-bound-stream', '8/max-tokens-default-stream'],
    targets: ['no-usage'],
    reason: 'The complete text of the stream, "Hello.", has 6 bytes, which cannot be more than 16 tokens.',
  },
]
