import { convention, stated } from '../../engine/requirement.ts'

const SDK =
  'A client SDK built for the common chat-completion convention can be used by setting its base address to {base_url}/v1 and its key to an API key.'

export const serviceRequirements = [
  stated('0/one-document', 'One document covers everything.', 'about the specification, not about the service'),
  convention(
    '0/conventions',
    'It follows the request and response conventions of a widely used chat-completion client SDK.',
    'names no convention; the individual conventions are rows of sections 1, 2.3, 2.4, 4.2, 4.5 and 7',
  ),
  stated(
    '0/base-url',
    '{base_url} is the service base address.',
    'a definition: the tester gives the address in the options url or baseUrl',
  ),
  stated(
    '0/timestamp',
    '<timestamp> is an integer Unix time in seconds.',
    'a definition; 2.1/created, 2.3/created and 2.4/created test it',
  ),
  stated(
    '1/one-interface',
    'The service gives one HTTP interface to several language models from different providers.',
    'a summary: 2.1/available-models and 2.1/identified-by-id test each model',
  ),
  stated(
    '1/five-operations',
    'It offers five operations: list models, chat completion (optionally streamed), image generation, audio transcription and speech synthesis.',
  ),
  stated(
    '1/credits',
    'Usage is paid in credits, charged per token at a rate that depends on the model.',
    'a summary: 2.1/price-o3-mini and the others test the charges of each model',
  ),
  convention('1/sdk', SDK),
  convention('1/sdk-witness', SDK),
  convention('1/json-without-mark', SDK),
  convention('1/intact-text', SDK),
  convention('1/cross-talk', 'It offers five operations'),
  stated(
    '1/conveniences',
    'A playground, a console for creating and managing API keys, and the SDK are conveniences outside the HTTP contract.',
    'outside HTTP, as the sentence states',
  ),
]
