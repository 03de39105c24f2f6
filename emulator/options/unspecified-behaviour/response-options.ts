import { defineChoiceOption, defineIntegerOption } from './option-row.ts'

/** Options for unspecified behaviour that affects the format and the cost of responses. */
export const RESPONSE_OPTIONS = {
  'error-body': defineChoiceOption(
    'the body of an error response (7)',
    'sdk',
    {
      sdk: '{"error": {"message", "type", "param", "code"}}',
      detail: '{"detail": "…"}',
      text: 'the message as plain text',
      empty: 'none',
    },
    'common client SDKs read this form',
  ),
  challenge: defineChoiceOption(
    'WWW-Authenticate in a 401',
    'bearer',
    { bearer: 'WWW-Authenticate: Bearer', none: 'not sent' },
    'RFC 9110 requires it',
  ),
  'retry-after': defineChoiceOption(
    'Retry-After in a 429',
    'seconds',
    { seconds: 'whole seconds', date: 'an HTTP date', none: 'not sent' },
    'every client understands seconds',
  ),
  'rate-limit-headers': defineChoiceOption(
    'headers that show the state of the rate limits (8)',
    'x-ratelimit',
    {
      'x-ratelimit': 'x-ratelimit-limit-requests, -remaining-requests, -reset-requests, and the same for tokens',
      none: 'not sent; Retry-After has its own option',
    },
    'common services send them with every response, and clients use them to slow down',
  ),
  'bearer-case': defineChoiceOption(
    'the letter case of Bearer (5)',
    'any',
    { any: 'any', exact: 'Bearer; others 401' },
    'schemes are case-insensitive by RFC 9110',
  ),
  'chunk-shape': defineChoiceOption(
    'the shape of a stream chunk (4.2)',
    'sdk',
    { sdk: 'chat.completion.chunk objects', text: 'only the text of each token' },
    'common client SDKs read this form',
  ),
  'done-marker': defineChoiceOption(
    'the end of a stream (4.2)',
    'done',
    { done: 'data: [DONE]', none: 'no marker, the body ends' },
    'some clients wait for the marker',
  ),
  'line-ends': defineChoiceOption(
    'the line ends of a stream (4.2)',
    'lf',
    { lf: 'LF', crlf: 'CRLF', cr: 'CR' },
    'the shortest of the three that the event stream format allows',
  ),
  'keep-alive-comments': defineChoiceOption(
    'comments in a stream (4.2)',
    'none',
    { none: 'none', first: 'one before the first event', each: 'one before each event' },
    'streams contain only requested data',
  ),
  'bytes-per-write': defineChoiceOption(
    'the division of a stream into writes',
    'event',
    { event: 'whole events', one: 'single bytes' },
    'most services write whole events',
  ),
  'stream-usage': defineChoiceOption(
    'usage in a stream (4.2)',
    'asked',
    { asked: 'if stream_options.include_usage is true', always: 'always', never: 'never' },
    'code that reads choices[0] fails on an unexpected chunk',
  ),
  'image-urls': defineChoiceOption(
    'authentication of image URLs (2.4)',
    'public',
    { public: 'not needed', key: 'the key is needed; 401 without' },
    'clients pass on only the URL',
  ),
  'image-url-query': defineChoiceOption(
    'a query string in an image URL (2.4)',
    'none',
    { none: 'none', signed: '?signature=…' },
    'by the specification, the URL ends with the extension',
  ),
  'prompt-price': defineChoiceOption(
    'the price of prompt tokens (8)',
    'alike',
    { alike: 'that of completion tokens', 'completion-only': 'free in chat' },
    'the specification has one price per model',
  ),
  'abort-bill': defineChoiceOption(
    'the charge for an aborted stream (8)',
    'sent',
    { sent: 'the prompt and the tokens sent', all: 'the whole completion', none: 'nothing' },
    'only used tokens are charged',
  ),
  'unstreamed-abort-bill': defineChoiceOption(
    'the charge for a response without streaming that is aborted before it is due (8)',
    'due',
    {
      due: 'the prompt of a chat and the tokens due by then, spread evenly from the first to the last; other operations: nothing',
      all: 'the whole response',
      none: 'nothing',
    },
    'only used tokens are charged',
  ),
  'tokens-per-image': defineIntegerOption(
    'the tokens charged per image (8)',
    256,
    [0, 1_000_000],
    'the specification only prices tokens; this is a completion of default length',
  ),
  'models-credits': defineChoiceOption(
    'the list of models for an account without credits (5)',
    'free',
    { free: 'sent', needed: '402' },
    'it uses no tokens',
  ),
  head: defineChoiceOption(
    'HEAD on a path with GET',
    'as-get',
    { 'as-get': 'like GET, without the body', '404': 'not found' },
    'RFC 9110 requires it',
  ),
  cors: defineChoiceOption(
    'requests of pages from another origin (CORS)',
    'none',
    { none: 'no CORS headers; OPTIONS gets 404', any: 'every origin is allowed' },
    'web pages should not contain keys',
  ),
  connection: defineChoiceOption(
    'connections after a response',
    'kept',
    { kept: 'kept alive', closed: 'closed' },
    'clients reuse connections',
  ),
} as const
