import { defineChoiceOption, defineIntegerOption } from './option-row.ts'

/** Options for unspecified behaviour in the content, the headers and the cost of responses. */
export const RESPONSE_OPTIONS = {
  text: defineChoiceOption(
    'the text of generated messages (2.3)',
    'natural',
    {
      natural:
        'English with typographic characters, Chinese, Japanese, Hindi, Arabic, emoji, Markdown and code; a message that names or uses one of these languages gets a response in it',
      ascii: 'English-like sentences without characters that JSON escapes',
    },
    'Many clients and gateways damage characters outside ASCII.',
  ),
  'reasoning-models': defineChoiceOption(
    'the models that generate reasoning (2.1), if the option reasoning is not none',
    'described',
    {
      described: 'vendora-v4-pro, vendora-reasoner and o3-mini, which section 2.1 describes as reasoning models',
      all: 'all models',
    },
    'The specification names these models.',
  ),
  'error-body': defineChoiceOption(
    'the body of an error response (7)',
    'sdk',
    {
      sdk: '{"error": {"message", "type", "param", "code"}}',
      detail: '{"detail": "…"}',
      text: 'the body is the message as plain text',
      empty: 'no body',
    },
    'Common client SDKs read this form.',
  ),
  challenge: defineChoiceOption(
    'the WWW-Authenticate header of a 401 response',
    'bearer',
    { bearer: 'WWW-Authenticate: Bearer', none: 'no header' },
    'RFC 9110 requires this.',
  ),
  'retry-after': defineChoiceOption(
    'the Retry-After header of a 429 response, and of a 503 response',
    'seconds',
    { seconds: 'the number of whole seconds', date: 'an HTTP date', none: 'no header' },
    'All clients can parse seconds.',
  ),
  'rate-limit-headers': defineChoiceOption(
    'headers that show the state of the rate limits (8)',
    'x-ratelimit',
    {
      'x-ratelimit':
        'x-ratelimit-limit-requests, x-ratelimit-remaining-requests and x-ratelimit-reset-requests, and the same headers for tokens',
      none: 'no headers; the option retry-after determines Retry-After',
    },
    'Common services send these headers with every response, and clients use them to slow down.',
  ),
  'queue-full': defineChoiceOption(
    'a request beyond the maximum length of the queue (`--queue-length`)',
    '429',
    { '429': 'too many requests', '503': 'service unavailable' },
    'Section 7 does not list 503.',
  ),
  'bearer-case': defineChoiceOption(
    'the letter case of Bearer (5)',
    'any',
    { any: 'every letter case is accepted', exact: 'only Bearer is accepted; 401 for other forms' },
    'RFC 9110 defines authentication schemes as case-insensitive.',
  ),
  'completion-fields': defineChoiceOption(
    'fields of a chat completion that the specification does not define (2.3)',
    'none',
    {
      none: 'only fields that the request needs, such as tool_calls',
      sdk: 'also system_fingerprint, refusal and logprobs; refusal is null, and so is logprobs unless the request has this field',
    },
    'The specification does not define these fields. Some client SDKs require them.',
  ),
  'image-urls': defineChoiceOption(
    'authentication of image URLs (2.4)',
    'public',
    { public: 'the URL needs no key', key: 'the request needs the key; 401 without a key' },
    'Clients share the URL with programs that do not have the key.',
  ),
  'image-url-query': defineChoiceOption(
    'a query string in an image URL (2.4)',
    'none',
    { none: 'no query string', signed: 'the URL ends in ?signature=…' },
    'In the specification, the URL ends with the extension of the file.',
  ),
  'prompt-price': defineChoiceOption(
    'the price of prompt tokens (8)',
    'alike',
    { alike: 'the price of completion tokens', 'completion-only': 'the prompt tokens of a chat request are free' },
    'The specification defines one price per model.',
  ),
  'abort-bill': defineChoiceOption(
    'the charge for an aborted stream (8)',
    'sent',
    { sent: 'the prompt and the tokens that the emulator sent', all: 'the whole completion', none: 'no charge' },
    'The account pays only for used tokens.',
  ),
  'unstreamed-abort-bill': defineChoiceOption(
    'the charge for a non-streaming response that the client aborts before it is due (8)',
    'due',
    {
      due: 'for a chat, the prompt and the tokens that were due before the abort; for other operations, nothing. Tokens are due at even intervals',
      all: 'the whole response',
      none: 'no charge',
    },
    'The account pays only for used tokens.',
  ),
  'tokens-per-image': defineIntegerOption(
    'the tokens charged per image (8)',
    256,
    [0, 1_000_000],
    'The specification only defines prices of tokens. A completion of default length has 256 tokens.',
  ),
  'models-credits': defineChoiceOption(
    'the list of models for an account without credits (5)',
    'free',
    { free: 'the emulator sends the list', needed: 'the emulator returns 402' },
    'The list uses no tokens.',
  ),
  head: defineChoiceOption(
    'a HEAD request for a path that supports GET',
    'as-get',
    { 'as-get': 'the response of GET without its body', '404': 'not found' },
    'RFC 9110 requires this.',
  ),
  cors: defineChoiceOption(
    'requests of web pages from another origin (CORS)',
    'none',
    { none: 'no CORS headers; 404 for OPTIONS', any: 'the emulator allows every origin' },
    'Web pages should not contain API keys.',
  ),
  connection: defineChoiceOption(
    'the connection after a response',
    'kept',
    { kept: 'the connection stays open', closed: 'the emulator closes the connection' },
    'Clients reuse connections.',
  ),
} as const
