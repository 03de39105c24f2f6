/** Checks that pass against targets that say nothing, with the reason why their sentence is kept there all the same. */
interface ReviewedPass {
  readonly checks: readonly string[]
  /** Names of silent targets. */
  readonly targets: readonly string[]
  readonly reason: string
}

const SERVE_NOTHING = ['web-page', 'empty-object', 'health', 'empty-200', 'no-content', 'error-in-200'] as const
const STATUSES_OF_TABLE = ['all-400', 'all-401', 'all-402', 'all-404', 'all-429'] as const
const STREAMS = ['no-events', 'comments-alone', 'done-alone', 'no-usage'] as const

const OPERATIONS = ['models', 'chat', 'images', 'transcriptions', 'speech'] as const

/** Everything on this list was looked at. A pass that is not on it, and an entry that does not pass, fails the proof. */
export const REVIEWED_PASSES: readonly ReviewedPass[] = [
  {
    checks: OPERATIONS.map((operation) => `7/statuses-${operation}`),
    targets: [...SERVE_NOTHING, ...STATUSES_OF_TABLE, ...STREAMS],
    reason: 'The sentence is about the status alone, and every status is a success or one of the table.',
  },
  {
    checks: OPERATIONS.map((operation) => `7/breakdown-${operation}`),
    targets: [...SERVE_NOTHING, ...STATUSES_OF_TABLE, 'login-redirect', ...STREAMS],
    reason: 'The sentence is about 5xx and missing responses, and every request got a whole response below 500.',
  },
  {
    checks: ['7/flakes'],
    targets: [...SERVE_NOTHING, ...STATUSES_OF_TABLE, 'login-redirect', ...STREAMS],
    reason: 'No request broke down, neither once nor twice.',
  },
  {
    checks: ['7/flakes'],
    targets: ['all-503'],
    reason: 'No request broke down once: all broke down twice, which 7/breakdown-chat and its like report.',
  },
  {
    checks: ['4.2/stream-time-out'],
    targets: ['done-alone', 'no-usage'],
    reason: 'Every stream ends with [DONE]: none was cut.',
  },
  {
    checks: ['4.2/stream-media-type', '4.2/stream-events', '4.2/streams-at-once', '2.1/all-stream-chat'],
    targets: ['no-usage'],
    reason: 'The target does stream: whole text/event-stream responses with events, for every model and in parallel.',
  },
  {
    checks: [
      '4.2/chunk-json',
      '4.2/chunk-object',
      '4.2/chunk-id',
      '4.2/chunk-index',
      '4.2/role-first',
      '4.2/content-text',
      '4.2/finish-reason-last',
      '4.2/no-error-member',
      '4.2/done-last',
      '4.2/last-frame-closed',
    ],
    targets: ['no-usage'],
    reason: 'The chunks are in the stream, in the form that client SDKs need. The convention does not ask for usage.',
  },
  {
    checks: ['4.2/usage-not-asked'],
    targets: ['no-usage'],
    reason: 'A stream without usage has no event with empty choices that was not requested.',
  },
  {
    checks: ['4.2/stream-options-accepted', '4.2/stream-accept-json'],
    targets: ['no-usage'],
    reason: 'Both the plain request and the one of client SDKs got a stream with text.',
  },
  {
    checks: ['1/sdk-stream', '1/sdk-stream-helper'],
    targets: ['no-usage'],
    reason: 'The openai SDK read the text of the stream, as the response contains it.',
  },
  {
    checks: ['4.2/max-tokens-everywhere', '4.2/max-tokens-bound-stream', '8/max-tokens-default-stream'],
    targets: ['no-usage'],
    reason: 'The streams show their whole text, "Hello.": 6 bytes are no more than 16 tokens.',
  },
]
