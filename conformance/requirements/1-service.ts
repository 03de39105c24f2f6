import type { Requirement } from './requirement.ts'

/** Section 1: what the service does. */
export const serviceRequirements = [
  {
    id: '1/one-interface',
    section: '1',
    level: 'stated',
    quote: 'The service gives one HTTP interface to several language models from different providers.',
    excluded: 'a summary: 2.1/available-models and 2.1/identified-by-id look at each model',
  },
  {
    id: '1/five-operations',
    section: '1',
    level: 'stated',
    quote:
      'It offers five operations: list models, chat completion (optionally streamed), image generation, audio transcription and speech synthesis.',
    checks: ['1/models-offered', '1/chat-offered', '1/images-offered', '1/transcriptions-offered', '1/speech-offered'],
  },
  {
    id: '1/credits',
    section: '1',
    level: 'stated',
    quote: 'Usage is paid in credits, charged per token at a rate that depends on the model.',
    excluded: 'a summary: 2.1/price-o3-mini and the others look at what each model charges',
  },
  {
    id: '1/sdk',
    section: '1',
    level: 'convention',
    quote:
      'A client SDK built for the common chat-completion convention can be used by setting its base address to {base_url}/v1 and its key to an API key.',
    checks: [
      '1/json-media-type-models',
      '1/json-media-type-chat',
      '1/json-media-type-images',
      '1/json-media-type-transcriptions',
      '1/request-id',
    ],
  },
  {
    id: '1/sdk-witness',
    section: '1',
    level: 'convention',
    quote:
      'A client SDK built for the common chat-completion convention can be used by setting its base address to {base_url}/v1 and its key to an API key.',
    checks: [
      '1/sdk-list',
      '1/sdk-chat',
      '1/sdk-stream',
      '1/sdk-stream-helper',
      '1/sdk-image',
      '1/sdk-speech',
      '1/sdk-transcription',
      '1/sdk-error-400',
      '1/sdk-error-401',
      '1/sdk-error-402',
      '1/sdk-error-404',
      '1/sdk-error-429',
    ],
  },
  {
    id: '1/cross-talk',
    section: '1',
    level: 'convention',
    quote: 'It offers five operations',
    checks: ['1/own-answer', '1/own-answer-kept'],
  },
  {
    id: '1/conveniences',
    section: '1',
    level: 'stated',
    quote:
      'A playground, a console for creating and managing API keys, and the SDK are conveniences outside the HTTP contract.',
    excluded: 'outside HTTP, as the sentence says',
  },
] as const satisfies readonly Requirement[]
