import { defineChoiceOption, defineIntegerOption, defineListOption, type CapabilityOption } from './option-row.ts'

const capabilities: CapabilityOption = {
  kind: 'map',
  topic: 'the models that support images, audio or vision (2.1)',
  default: 'all',
  reason: 'a client can try every operation with every model',
}

/** Options for unspecified behaviour that affects the validation of requests. */
export const REQUEST_OPTIONS = {
  'order-of-refusals': defineChoiceOption(
    'the status of a request with several errors',
    'auth-first',
    {
      'auth-first': '401, 429, 404 for the path, 400, 404 for the model, 402',
      'path-first': '404 for the path takes precedence over 401',
      'credits-first': '402 for an account without credits takes precedence over 400',
    },
    'bodies of unauthenticated clients are not read, and nothing is held for invalid requests',
  ),
  'wrong-method': defineChoiceOption(
    'a known path with a wrong method',
    '404',
    { '404': 'like an unknown endpoint', '405': 'method not allowed, with Allow' },
    'section 7 does not list 405',
  ),
  'trailing-slash': defineChoiceOption(
    'a trailing slash in a path',
    '404',
    { '404': 'a different path', same: 'the same endpoint' },
    'the specification writes paths without it',
  ),
  'json-to-multipart': defineChoiceOption(
    'a JSON body sent to the multipart operation (4.4)',
    '400',
    { '400': 'bad request', '415': 'unsupported media type' },
    'section 7 does not list 415',
  ),
  'json-media-type': defineChoiceOption(
    'a JSON body with a different Content-Type, or without one (4)',
    'ignored',
    { ignored: 'read as JSON', required: '400 unless it is application/json' },
    'a header is not a request parameter',
  ),
  'unknown-fields': defineChoiceOption(
    'a body field that the specification does not define',
    'ignored',
    {
      ignored: 'the field has no effect, and the request log lists it',
      refused: '400, except stream_options and the fields that an option below serves',
    },
    'common clients send additional fields, such as stream_options',
  ),
  'null-fields': defineChoiceOption(
    'null for an optional field',
    'absent',
    { absent: 'like a missing field', refused: '400' },
    'clients in typed languages send null for unset fields',
  ),
  'duplicate-fields': defineChoiceOption(
    'the same field twice in a JSON object',
    'last',
    { last: 'the last one counts', refused: '400' },
    'RFC 8259 leaves it open, and most parsers use the last one',
  ),
  'integer-form': defineChoiceOption(
    '10.0 or 1e1 for an integer',
    'any',
    { any: 'accepted as an integer', plain: '400' },
    'JSON does not distinguish integers',
  ),
  roles: defineChoiceOption(
    'message roles beyond the three of section 2.3',
    'common',
    {
      common: 'developer and tool too',
      documented: 'only system, user and assistant; others 400',
      any: 'any text',
    },
    'common clients send developer and tool',
  ),
  'content-parts': defineChoiceOption(
    'message content as an array of parts (4.2)',
    'accepted',
    { accepted: 'objects with a type; their text is used', refused: '400: content is a string' },
    'section 4.2 states that multi-modal input is supported',
  ),
  'empty-messages': defineChoiceOption(
    'an empty messages array',
    'refused',
    { refused: '400', accepted: 'completed' },
    'there is nothing to respond to',
  ),
  'empty-text': defineChoiceOption(
    'an empty prompt, input or voice',
    'refused',
    { refused: '400', accepted: 'processed' },
    'there is nothing to process',
  ),
  'quality-parameter': defineChoiceOption(
    'the parameter that selects a quality mode (2.2)',
    'none',
    {
      none: 'no parameter',
      quality: 'quality, one of the four modes; others 400',
      quality_mode: 'quality_mode, with the same values',
    },
    'the specification does not name it',
  ),
  'least-max-tokens': defineIntegerOption(
    'the minimum of max_tokens',
    1,
    [0, 1],
    'a completion has at least one token',
  ),
  'most-max-tokens': defineIntegerOption(
    'the maximum of max_tokens (8)',
    131_072,
    [256, 10_000_000],
    'the size of current context windows',
  ),
  'most-messages': defineIntegerOption(
    'the maximum number of messages (8)',
    10_000,
    [1, 1_000_000],
    'more than the messages of any conversation',
  ),
  'least-n': defineIntegerOption('the minimum of n', 1, [0, 1], 'a request for no image is meaningless'),
  'most-n': defineIntegerOption('the maximum of n (8)', 10, [1, 1000], 'common services allow as many'),
  'most-file-bytes': defineIntegerOption(
    'the maximum size of an audio file in bytes (8)',
    26_214_400,
    [1, 30_000_000],
    '25 MiB, as in common services',
  ),
  'most-json-bytes': defineIntegerOption(
    'the maximum size of a JSON body in bytes',
    8_388_608,
    [1024, 268_435_456],
    '8 MiB: a prompt with several pictures',
  ),
  capabilities,
  'capability-refusal': defineChoiceOption(
    'a model that does not support the operation',
    '404',
    { '404': 'like an unknown model', '400': 'like an invalid parameter' },
    'the model does not exist for this operation',
  ),
  sizes: defineListOption(
    'allowed image sizes (4.3)',
    ['256x256', '512x512', '1024x1024'],
    'any size up to 4096 pixels per side can be drawn',
  ),
  voices: defineListOption('valid voice IDs (4.5)', ['alloy', 'echo', 'nova'], 'any voice can be generated'),
  'audio-formats': defineChoiceOption(
    'accepted audio formats (4.4)',
    'any',
    { any: 'any bytes', known: 'WAV, MP3, FLAC, Ogg, WebM or MP4, by signature; others 400' },
    'tests can use any file',
  ),
  language: defineChoiceOption(
    'syntax of the language code (4.4)',
    'any',
    { any: 'any text', 'iso-639-1': 'two lower-case letters; others 400' },
    'the specification only requires "a language code"',
  ),
} as const
