import { choice, limit } from './option-row.ts'

/** What an answer looks like, and what it costs. */
export const ABOUT_ANSWERS = {
  'error-body': choice(
    'the body of an error (7)',
    'sdk',
    {
      sdk: '{"error": {"message", "type", "param", "code"}}',
      detail: '{"detail": "…"}',
      text: 'the message as plain text',
      empty: 'none',
    },
    'what client SDKs of the common kind read',
  ),
  challenge: choice(
    'WWW-Authenticate on a 401',
    'bearer',
    { bearer: 'WWW-Authenticate: Bearer', none: 'no such header' },
    'RFC 9110 asks for it',
  ),
  'retry-after': choice(
    'Retry-After on a 429',
    'seconds',
    { seconds: 'whole seconds', date: 'an HTTP date', none: 'no such header' },
    'every client understands seconds',
  ),
  'rate-limit-headers': choice(
    'headers that tell how much of a rate limit is left (8)',
    'x-ratelimit',
    {
      'x-ratelimit': 'x-ratelimit-limit-requests, -remaining-requests, -reset-requests and the same for tokens',
      none: 'no such headers; Retry-After is a decision of its own',
    },
    'common services send them with every answer, and clients pace themselves by them',
  ),
  'bearer-case': choice(
    'letter case of Bearer (5)',
    'any',
    { any: 'any', exact: 'Bearer; others 401' },
    'RFC 9110 says that schemes have no case',
  ),
  'chunk-shape': choice(
    'the shape of a stream chunk (4.2)',
    'sdk',
    { sdk: 'chat.completion.chunk objects', text: 'the bare text of each token' },
    'what client SDKs of the common kind read',
  ),
  'done-marker': choice(
    'how a stream ends (4.2)',
    'done',
    { done: 'data: [DONE]', none: 'the body ends' },
    'some clients wait for it',
  ),
  'line-ends': choice(
    'line ends of a stream (4.2)',
    'lf',
    { lf: 'LF', crlf: 'CRLF', cr: 'CR' },
    'the shortest; the event-stream format allows all three',
  ),
  'keep-alive-comments': choice(
    'comments in a stream (4.2)',
    'none',
    { none: 'none', first: 'one before the first event', each: 'one before each event' },
    'nothing is sent that nobody asked for',
  ),
  'bytes-per-write': choice(
    'how a stream is cut into writes',
    'event',
    { event: 'whole events', one: 'each byte by itself' },
    'events arrive whole for most clients, as from most services',
  ),
  'stream-usage': choice(
    'usage in a stream (4.2)',
    'asked',
    { asked: 'where stream_options.include_usage is true', always: 'always', never: 'never' },
    'user code that reads choices[0] breaks on a chunk that nobody asked for',
  ),
  'image-urls': choice(
    'whether an image URL needs the key (2.4)',
    'public',
    { public: 'no', key: 'yes: 401 without' },
    'the URL is all that a client hands on',
  ),
  'image-url-query': choice(
    'a query after the extension of an image URL (2.4)',
    'none',
    { none: 'none', signed: '?signature=…' },
    'the document says that the address ends in the extension',
  ),
  'prompt-price': choice(
    'whether prompt and completion are priced the same (8)',
    'alike',
    { alike: 'both at the price of the table', 'completion-only': 'the prompt of a chat is free' },
    'the table has one price',
  ),
  'abort-bill': choice(
    'what a client pays that leaves a stream (8)',
    'sent',
    { sent: 'the prompt and the tokens sent', all: 'the whole answer', none: 'nothing' },
    'what it used',
  ),
  'tokens-per-image': limit(
    'what an image costs (8)',
    256,
    [0, 1_000_000],
    'the document prices tokens only; as much as an answer of default length',
  ),
  'models-credits': choice(
    'whether listing models needs credits (5)',
    'free',
    { free: 'no', needed: '402 for an account without any' },
    'it uses no tokens',
  ),
  head: choice(
    'HEAD on a path that has GET',
    'as-get',
    { 'as-get': 'GET without a body', '404': 'not found' },
    'RFC 9110 says that servers support it',
  ),
  cors: choice(
    'requests of pages from another origin',
    'none',
    { none: 'no headers for them; OPTIONS is not found', any: 'every origin is allowed' },
    'a key does not belong into a page',
  ),
  connection: choice(
    'whether connections are kept',
    'kept',
    { kept: 'kept alive', closed: 'closed after each answer' },
    'clients reuse them',
  ),
} as const
