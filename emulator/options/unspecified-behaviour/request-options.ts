import { choice, limit, list, type CapabilityMap } from './option-row.ts'

const capabilities: CapabilityMap = {
  kind: 'map',
  about: 'which models serve images, audio or vision (2.1)',
  byDefault: 'all',
  why: 'a client can then try every operation with every model',
}

/** What a request may contain. */
export const ABOUT_REQUESTS = {
  'order-of-refusals': choice(
    'which status a request gets when several apply',
    'auth-first',
    {
      'auth-first': '401, 429, 404 for the path, 400, 404 for the model, 402',
      'path-first': '404 for the path comes before 401',
      'credits-first': 'an account without any credits gets 402 before 400',
    },
    'nothing is read of a stranger, and nothing is held for a request that cannot be served',
  ),
  'wrong-method': choice(
    'a known path with another method',
    '404',
    { '404': 'as an unknown endpoint', '405': 'method not allowed, with Allow' },
    '405 is not in the table of section 7',
  ),
  'trailing-slash': choice(
    'a slash at the end of a path',
    '404',
    { '404': 'another path', same: 'the same endpoint' },
    'the document writes the paths without it',
  ),
  'json-to-multipart': choice(
    'a JSON body sent to the multipart operation (4.4)',
    '400',
    { '400': 'bad request', '415': 'unsupported media type' },
    '415 is not in the table of section 7',
  ),
  'json-media-type': choice(
    'a JSON body with another Content-Type, or none (4)',
    'ignored',
    { ignored: 'read as JSON all the same', required: '400 unless it is application/json' },
    'a header is no request parameter',
  ),
  'unknown-fields': choice(
    'a body field that the document does not name',
    'ignored',
    { ignored: 'as if it were not there', refused: '400' },
    'common clients send fields of their own, such as stream_options',
  ),
  'null-fields': choice(
    'null for an optional field',
    'absent',
    { absent: 'as if it were not there', refused: '400' },
    'clients in typed languages send null for what is not set',
  ),
  'duplicate-fields': choice(
    'the same field twice in a JSON object',
    'last',
    { last: 'the last one counts', refused: '400' },
    'RFC 8259 leaves it open, and most parsers take the last',
  ),
  'integer-form': choice(
    '10.0 or 1e1 for an integer',
    'any',
    { any: 'an integer all the same', plain: '400' },
    'JSON has one kind of number',
  ),
  roles: choice(
    'roles of messages beyond the three of section 2.3',
    'common',
    {
      common: 'developer and tool too',
      documented: 'system, user and assistant alone; others 400',
      any: 'any text',
    },
    'common clients send developer and tool',
  ),
  'content-parts': choice(
    'message content that is an array of parts (4.2)',
    'accepted',
    { accepted: 'objects with a type; text counts as text', refused: '400: content is a string' },
    'section 4.2 says that multi-modal input is supported',
  ),
  'empty-messages': choice(
    'an empty messages array',
    'refused',
    { refused: '400', accepted: 'answered' },
    'there is nothing to answer',
  ),
  'empty-text': choice(
    'an empty prompt, input or voice',
    'refused',
    { refused: '400', accepted: 'served' },
    'nothing can be made of it',
  ),
  'quality-parameter': choice(
    'the request parameter that selects a quality mode (2.2)',
    'none',
    {
      none: 'there is none',
      quality: 'quality, one of the four modes; others 400',
      quality_mode: 'quality_mode, likewise',
    },
    'the document does not name it',
  ),
  'least-max-tokens': limit('the least max_tokens', 1, [0, 1], 'an answer has at least one token'),
  'most-max-tokens': limit('the largest max_tokens (8)', 131_072, [256, 10_000_000], 'as large as contexts of today'),
  'most-messages': limit('the largest number of messages (8)', 10_000, [1, 1_000_000], 'far beyond any conversation'),
  'least-n': limit('the least n', 1, [0, 1], 'a request for no image asks for nothing'),
  'most-n': limit('the largest n (8)', 10, [1, 1000], 'what common services allow'),
  'most-file-bytes': limit(
    'the largest audio file (8)',
    26_214_400,
    [1, 30_000_000],
    '25 MiB, as common services allow',
  ),
  capabilities,
  'capability-refusal': choice(
    'a model that does not serve the operation',
    '404',
    { '404': 'as a model that is not there', '400': 'as an invalid parameter' },
    'for this operation there is no such model',
  ),
  sizes: list('allowed image sizes (4.3)', ['256x256', '512x512', '1024x1024'], 'any within 4096 a side can be drawn'),
  voices: list('valid voice IDs (4.5)', ['alloy', 'echo', 'nova'], 'any can be spoken with, each differently'),
  'audio-formats': choice(
    'accepted audio formats (4.4)',
    'any',
    { any: 'any bytes', known: 'WAV, MP3, FLAC, Ogg, WebM or MP4 by their first bytes; others 400' },
    'tests need not carry real audio',
  ),
  language: choice(
    'syntax of the language code (4.4)',
    'any',
    { any: 'any text', 'iso-639-1': 'two lower-case letters; others 400' },
    'the document says "a language code" and no more',
  ),
} as const
