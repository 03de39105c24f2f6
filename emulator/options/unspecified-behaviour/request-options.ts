import { MAX_JSON_DEPTH } from '../../../common/parse-json.ts'
import { defineChoiceOption, defineIntegerOption, defineListOption, type CapabilityOption } from './option-row.ts'

const capabilities: CapabilityOption = {
  kind: 'map',
  topic: 'the models that support images, audio or vision (2.1)',
  default: 'all',
  reason: 'With this default, a client can try every operation with every model.',
}

/** Options for unspecified behaviour in the validation of requests. */
export const REQUEST_OPTIONS = {
  'order-of-refusals': defineChoiceOption(
    'the status of a request with several errors',
    'auth-first',
    {
      'auth-first': 'the order is 401, 429, 404 for the path, 400, 404 for the model, 402',
      'path-first': '404 for the path takes precedence over 401',
      'credits-first': '402 for an account without credits takes precedence over 400',
    },
    'With this order, the emulator reads no body of an unauthenticated client, and holds no credits for an invalid request.',
  ),
  'wrong-method': defineChoiceOption(
    'a known path with a wrong method',
    '404',
    { '404': 'the same response as for an unknown endpoint', '405': 'method not allowed, with an Allow header' },
    'Section 7 does not list 405.',
  ),
  'trailing-slash': defineChoiceOption(
    'a trailing slash in a path',
    '404',
    { '404': 'the path is unknown', same: 'the slash has no effect' },
    'The specification writes paths without a trailing slash.',
  ),
  'json-to-multipart': defineChoiceOption(
    'a JSON body sent to the multipart operation (4.4)',
    '400',
    { '400': 'bad request', '415': 'unsupported media type' },
    'Section 7 does not list 415.',
  ),
  'json-media-type': defineChoiceOption(
    'a JSON body with a different Content-Type, or without one (4)',
    'ignored',
    { ignored: 'the emulator parses the body as JSON', required: '400 if the header is not application/json' },
    'Status 400 means invalid request parameters, and a header is not a parameter.',
  ),
  'unknown-fields': defineChoiceOption(
    'a body field that the specification does not define',
    'ignored',
    {
      ignored: 'the field has no effect, and the request log lists it',
      refused: '400, except for stream_options and the fields that another option serves',
    },
    'Common clients send additional fields, such as stream_options.',
  ),
  'null-fields': defineChoiceOption(
    'null for an optional field',
    'absent',
    { absent: 'the emulator treats the field as missing', refused: '400' },
    'Clients in typed languages send null for unset fields.',
  ),
  'duplicate-fields': defineChoiceOption(
    'the same field twice in a JSON object',
    'last',
    { last: 'the emulator uses the last value', refused: '400' },
    'RFC 8259 allows both, and most parsers use the last value.',
  ),
  'integer-form': defineChoiceOption(
    'an integer that is written as 10.0 or 1e1',
    'any',
    { any: 'the emulator accepts the number as an integer', plain: '400' },
    'JSON has one number type for integers and fractions.',
  ),
  roles: defineChoiceOption(
    'message roles that section 2.3 does not list',
    'common',
    {
      common: 'system, user, assistant, developer and tool; 400 for other roles',
      documented: 'system, user and assistant; 400 for other roles',
      any: 'any text is accepted',
    },
    'Common clients send the roles developer and tool.',
  ),
  'content-parts': defineChoiceOption(
    'message content as an array of parts (4.2)',
    'accepted',
    {
      accepted: 'an array of objects that have a type; the emulator uses their text',
      refused: '400, because content must be a string',
    },
    'Section 4.2 states that multi-modal input is supported.',
  ),
  'empty-messages': defineChoiceOption(
    'an empty messages array',
    'refused',
    { refused: '400', accepted: 'the emulator returns a completion' },
    'Without a message, there is no prompt.',
  ),
  'empty-text': defineChoiceOption(
    'an empty prompt, input or voice',
    'refused',
    { refused: '400', accepted: 'the emulator processes the request' },
    'An empty text is probably an error in the client.',
  ),
  'quality-parameter': defineChoiceOption(
    'the parameter that selects a quality mode (2.2)',
    'none',
    {
      none: 'no parameter selects a mode',
      quality: 'quality has one of the four modes; 400 for other values',
      quality_mode: 'quality_mode has one of the four modes; 400 for other values',
    },
    'The specification does not name the parameter.',
  ),
  'least-max-tokens': defineIntegerOption(
    'the minimum of max_tokens',
    1,
    [0, 1],
    'A completion has at least one token.',
  ),
  'most-max-tokens': defineIntegerOption(
    'the maximum of max_tokens (8)',
    131_072,
    [256, 10_000_000],
    'Current context windows have about this size.',
  ),
  'most-messages': defineIntegerOption(
    'the maximum number of messages (8)',
    10_000,
    [1, 1_000_000],
    'Real conversations have fewer messages.',
  ),
  'least-n': defineIntegerOption('the minimum of n', 1, [0, 1], 'A request for no image has no use.'),
  'most-n': defineIntegerOption('the maximum of n (8)', 10, [1, 1000], 'Common services have the same maximum.'),
  'most-file-bytes': defineIntegerOption(
    'the maximum size of an audio file in bytes (8)',
    26_214_400,
    [1, 30_000_000],
    'Common services have the same maximum, 25 MiB.',
  ),
  'most-json-bytes': defineIntegerOption(
    'the maximum size of a JSON body in bytes',
    8_388_608,
    [1024, 268_435_456],
    'A prompt with several pictures fits into 8 MiB.',
  ),
  'most-json-depth': defineIntegerOption(
    'the maximum depth of nested arrays and objects in a JSON body',
    MAX_JSON_DEPTH,
    [16, 1000],
    'Real requests have fewer levels, and code that reads more levels could overflow its stack.',
  ),
  capabilities,
  'capability-refusal': defineChoiceOption(
    'a model that does not support the operation',
    '404',
    { '404': 'the same response as for an unknown model', '400': 'the same response as for an invalid parameter' },
    'An operation that does not offer a model behaves as if the model did not exist.',
  ),
  sizes: defineListOption(
    'allowed image sizes (4.3)',
    ['256x256', '512x512', '1024x1024'],
    'The emulator can draw any size up to 4096 pixels per side.',
  ),
  voices: defineListOption(
    'valid voice IDs (4.5)',
    ['alloy', 'echo', 'nova'],
    'The emulator can generate speech for any voice.',
  ),
  'audio-formats': defineChoiceOption(
    'accepted audio formats (4.4)',
    'any',
    {
      any: 'any file is accepted',
      known: 'WAV, MP3, FLAC, Ogg, WebM or MP4, recognised by the first bytes; 400 for other files',
    },
    'With this default, tests can use any file.',
  ),
  language: defineChoiceOption(
    'the syntax of the language code (4.4)',
    'any',
    { any: 'any text is accepted', 'iso-639-1': 'two lower-case letters; 400 for other values' },
    'The specification only requires "a language code".',
  ),
} as const
