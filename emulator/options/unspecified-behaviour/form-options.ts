import { defineChoiceOption, defineIntegerOption } from './option-row.ts'

/**
 * Options for the form of chat responses: the habits in which real servers differ. A fixture can set each of them for its
 * own response.
 */
export const FORM_OPTIONS = {
  'chunk-shape': defineChoiceOption(
    'the shape of a stream chunk (4.2)',
    'sdk',
    { sdk: 'chat.completion.chunk objects', text: 'each chunk is only the text of a token' },
    'Common client SDKs read this form.',
  ),
  'tokens-per-chunk': defineIntegerOption(
    'the maximum number of tokens in a chunk (4.2)',
    1,
    [1, 100_000],
    'With this default, tests see the time of each token. Servers under load send several tokens in a chunk.',
  ),
  'delta-role': defineChoiceOption(
    'the role in a stream (4.2)',
    'first',
    {
      first: 'a first chunk has the role, without text',
      each: 'every chunk with content also has the role',
      none: 'no chunk has the role, and the first chunk has content',
    },
    'Most services send the role once, and some SDKs require it.',
  ),
  'tool-call-order': defineChoiceOption(
    'the chunks of parallel tool calls (4.2)',
    'sequential',
    {
      sequential: 'the chunks of one call follow those of the call before it',
      interleaved: 'first the starts of all calls, then their arguments in turn',
    },
    'Most models write one call after the other.',
  ),
  'stream-usage': defineChoiceOption(
    'usage in a stream (4.2)',
    'asked',
    {
      asked: 'a chunk with usage, without choices, if stream_options.include_usage is true',
      always: 'every stream has this chunk',
      last: 'the chunk with the finish reason has the usage',
      each: 'every chunk has the usage so far',
      never: 'no chunk has usage',
    },
    'Code that reads choices[0] fails on a chunk without choices.',
  ),
  'done-marker': defineChoiceOption(
    'the end of a stream (4.2)',
    'done',
    { done: 'data: [DONE]', none: 'no marker; the body ends' },
    'Some clients wait for the marker.',
  ),
  'line-ends': defineChoiceOption(
    'the line endings of a stream (4.2)',
    'lf',
    { lf: 'LF', crlf: 'CRLF', cr: 'CR' },
    'The event stream format allows all three line endings, and LF is the most common.',
  ),
  'field-space': defineChoiceOption(
    'the space after the colon of a field in a stream (4.2)',
    'one',
    { one: 'data: {…}', none: 'data:{…}' },
    'The event stream format makes this space optional, and most services send it.',
  ),
  'finish-reason-place': defineChoiceOption(
    'the chunk with the finish reason (4.2)',
    'own',
    { own: 'a chunk after the content', 'last-content': 'the last chunk with content' },
    'Most services send a chunk whose delta is empty.',
  ),
  'event-fields': defineChoiceOption(
    'the fields of an event besides data (4.2)',
    'none',
    {
      none: 'only data',
      id: 'id, the number of the event',
      retry: 'retry, in the first event',
      'id-and-retry': 'both',
    },
    'Most services send only data.',
  ),
  'keep-alive-comments': defineChoiceOption(
    'comments in a stream (4.2)',
    'none',
    { none: 'no comments', first: 'one comment before the first event', each: 'one comment before each event' },
    'With this default, a stream contains no data that the client did not request.',
  ),
  heartbeat: defineChoiceOption(
    'data that a stream sends during a pause (4.2)',
    'none',
    {
      none: 'nothing',
      comment: 'a comment',
      'empty-delta': 'a chunk whose delta is empty',
      'no-choices': 'a chunk without choices',
    },
    'With this default, a stream contains no data that the client did not request.',
  ),
  'heartbeat-ms': defineIntegerOption(
    'the pause before each heartbeat, in milliseconds',
    15_000,
    [10, 600_000],
    'Common gateways use 15 seconds.',
  ),
  'padding-bytes': defineIntegerOption(
    'the length of the added field obfuscation in the first chunk with content, in bytes',
    0,
    [0, 1_000_000],
    'Most services do not send this field. With 70000, the event is larger than 64 KB.',
  ),
  'bytes-per-write': defineChoiceOption(
    'the number of bytes in one write to a stream',
    'event',
    {
      event: 'each write is a whole event',
      split:
        'a write ends inside the first character outside ASCII of each event, and the rest follows after a millisecond of real time',
      one: 'each write is a single byte',
    },
    'Most services write whole events.',
  ),
  'body-length': defineChoiceOption(
    'the framing of a non-streaming chat response',
    'content-length',
    { 'content-length': 'Content-Length', chunked: 'Transfer-Encoding: chunked' },
    'Most services know the length of the body.',
  ),
  'after-stream': defineChoiceOption(
    'the connection after a stream',
    'kept',
    { kept: 'the connection stays open', closed: 'the emulator closes it, although it announced keep-alive' },
    'Clients reuse connections.',
  ),
  reasoning: defineChoiceOption(
    'the reasoning of a chat response (2.1)',
    'none',
    {
      none: 'the emulator generates no reasoning',
      hidden: 'the response pauses while the model reasons; only usage.completion_tokens_details shows the tokens',
      reasoning_content: 'the field reasoning_content of the message, or deltas before the text',
      reasoning: 'the same with the field reasoning',
    },
    'Section 2.3 shows a message with role and content only. The reasoning of a fixture is sent as reasoning_content by default.',
  ),
  'reasoning-tokens': defineIntegerOption(
    'the number of generated reasoning tokens; they count towards max_tokens',
    48,
    [1, 100_000],
    'With this default, most responses still contain text.',
  ),
} as const
