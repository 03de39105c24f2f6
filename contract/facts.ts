/**
 * Tables of the specification as constants. `facts.test.ts` compares each cell with `spec.md`. No other file defines a
 * price, a status, a default or a model ID.
 */

/** SHA-256 of `spec.md` in hex. Reports contain it to identify the version of the specification. */
export const SPEC_SHA256 = 'da1a8de70fcbdd56c78d699d4e840b86bee8b8b1d0941635e91b1b8d441d2478'

/** Prefix of API keys (section 5, rule 2). */
export const KEY_PREFIX = 'sk-svc-'

/** Path prefix of all operations (section 9). */
export const PATH_PREFIX = '/v1'

/** Path prefix of image URLs below the base URL (section 2.4). */
export const IMAGE_PATH_PREFIX = '/v1/images/'

/** Number of integer units per credit. Every price in the table of section 2.1 is a whole number of units. */
export const UNITS_PER_CREDIT = 10_000

/** Models in the table of section 2.1. `creditsPerToken` is a decimal string. */
export const MODELS = [
  { id: 'vendora-v4-flash', description: 'Fast chat', creditsPerToken: '0.0004' },
  { id: 'vendora-v4-pro', description: 'Advanced reasoning and coding', creditsPerToken: '0.002' },
  { id: 'vendora-reasoner', description: 'Deep reasoning', creditsPerToken: '0.002' },
  { id: 'vendorb-sonnet-4-20250514', description: 'Balanced model of its provider', creditsPerToken: '0.006' },
  { id: 'vendorb-haiku-3.5', description: 'Fast model of its provider', creditsPerToken: '0.002' },
  { id: 'o3-mini', description: 'Reasoning model', creditsPerToken: '0.004' },
  { id: 'vendorc-4o', description: 'Multimodal flagship', creditsPerToken: '0.01' },
  { id: 'vendorc-4o-mini', description: 'Lightweight', creditsPerToken: '0.0008' },
] as const

export type ModelId = (typeof MODELS)[number]['id']

/** Quality modes (section 2.2). The specification does not show the request parameter that selects one. */
export const QUALITY_MODES = [
  { value: 'auto', meaning: 'Quality is chosen from the model and the task' },
  { value: 'low', meaning: 'Faster, lower quality, for simple tasks' },
  { value: 'high', meaning: 'Slower, higher quality, for complex reasoning' },
  { value: 'ultra', meaning: 'Maximum quality, uses multi-pass refinement' },
] as const

/** Fields of the response objects (sections 2.1, 2.3, 2.4, 2.5). `notes` is the text of the Notes column. */
export const OBJECT_FIELDS = {
  model: [
    { name: 'id', type: 'string', notes: 'Model ID' },
    { name: 'object', type: 'string', notes: 'Constant "model"' },
    { name: 'created', type: 'integer', notes: '<timestamp>' },
    { name: 'owned_by', type: 'string', notes: 'Owner label' },
  ],
  chatCompletion: [
    { name: 'id', type: 'string', notes: 'Completion identifier' },
    { name: 'object', type: 'string', notes: '"chat.completion"' },
    { name: 'created', type: 'integer', notes: '<timestamp>' },
    { name: 'model', type: 'string', notes: 'Model ID used' },
    {
      name: 'choices',
      type: 'array',
      notes:
        'Items: index (integer), message (object with role and content, both strings; the role of a reply is "assistant"), finish_reason (string; "stop" is shown)',
    },
    { name: 'usage', type: 'object', notes: 'prompt_tokens, completion_tokens, total_tokens, all integers' },
  ],
  imageResult: [
    { name: 'created', type: 'integer', notes: '<timestamp>' },
    {
      name: 'data',
      type: 'array',
      notes:
        'Items: object with url (string), an address under {base_url}/v1/images/ ending in an image file extension',
    },
  ],
  transcription: [{ name: 'text', type: 'string' }],
} as const

/** Section, HTTP method, path and kind of request body of the five operations (sections 4.1 to 4.5). */
export const OPERATIONS = {
  models: { section: '4.1', method: 'GET', path: '/v1/models', body: 'none' },
  chat: { section: '4.2', method: 'POST', path: '/v1/chat/completions', body: 'json' },
  images: { section: '4.3', method: 'POST', path: '/v1/images/generations', body: 'json' },
  transcriptions: { section: '4.4', method: 'POST', path: '/v1/audio/transcriptions', body: 'multipart' },
  speech: { section: '4.5', method: 'POST', path: '/v1/audio/speech', body: 'json' },
} as const

export type Operation = keyof typeof OPERATIONS

// The cast is safe: Object.keys returns the names of the table above.
export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly Operation[]

/** Operations with separate latencies: streamed chat counts as an operation of its own. */
export const TIMED_OPERATIONS = ['models', 'chat', 'chat-stream', 'images', 'transcriptions', 'speech'] as const

export type TimedOperation = (typeof TIMED_OPERATIONS)[number]

/**
 * Request parameters of each operation with a body (sections 4.2 to 4.5). `description` is the text of the Description
 * column.
 */
export const PARAMETERS = {
  chat: [
    { name: 'model', type: 'string', required: true, description: 'Model ID' },
    { name: 'messages', type: 'array', required: true, description: 'Message objects' },
    { name: 'max_tokens', type: 'integer', required: false, default: 256, description: 'Maximum tokens; default 256' },
    {
      name: 'temperature',
      type: 'number',
      required: false,
      default: 1,
      description: 'Sampling temperature, 0 to 2; default 1.0',
    },
    {
      name: 'stream',
      type: 'boolean',
      required: false,
      default: false,
      description: 'Enables server-sent-event streaming; default false',
    },
  ],
  images: [
    { name: 'model', type: 'string', required: true, description: 'Model ID' },
    { name: 'prompt', type: 'string', required: true, description: 'Text description of the image' },
    { name: 'n', type: 'integer', required: false, default: 1, description: 'Number of images; default 1' },
    { name: 'size', type: 'string', required: false, description: 'Image size in the form <width>x<height>' },
  ],
  transcriptions: [
    { name: 'model', type: 'string', required: true, description: 'Model ID' },
    { name: 'file', type: 'file', required: true, description: 'Audio file' },
    { name: 'language', type: 'string', required: false, description: 'Language code' },
  ],
  speech: [
    { name: 'model', type: 'string', required: true, description: 'Model ID' },
    { name: 'input', type: 'string', required: true, description: 'Text to convert' },
    { name: 'voice', type: 'string', required: false, default: 'alloy', description: 'Voice ID; default "alloy"' },
  ],
} as const

/** Default values of optional parameters (section 8). */
export const PARAMETER_DEFAULTS = { max_tokens: 256, temperature: 1, n: 1, voice: 'alloy', stream: false } as const

/** Range of the sampling temperature, inclusive (sections 4.2, 8). */
export const TEMPERATURE_RANGE = { min: 0, max: 2 } as const

/** Roles of request messages (section 2.3). */
export const MESSAGE_ROLES = ['system', 'user', 'assistant'] as const

/** HTTP statuses of error responses (section 7). */
export const ERROR_STATUSES = [
  { code: 400, meaning: 'Bad Request', condition: 'Invalid request parameters' },
  { code: 401, meaning: 'Unauthorized', condition: 'Missing or invalid API key' },
  { code: 402, meaning: 'Payment Required', condition: 'Insufficient credits' },
  { code: 404, meaning: 'Not Found', condition: 'Invalid endpoint or model' },
  { code: 429, meaning: 'Too Many Requests', condition: 'Rate limit exceeded' },
  { code: 500, meaning: 'Internal Server Error', condition: 'Server-side issue' },
] as const

export type ErrorStatus = (typeof ERROR_STATUSES)[number]['code']
