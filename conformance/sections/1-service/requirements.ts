import type { RequirementRow } from '../../engine/requirement.ts'

export const serviceRequirements = [
  {
    id: '1/one-interface',
    level: 'stated',
    quote: 'The service gives one HTTP interface to several language models from different providers.',
    excluded: 'a summary: 2.1/available-models and 2.1/identified-by-id test each model',
  },
  {
    id: '1/five-operations',
    level: 'stated',
    quote:
      'It offers five operations: list models, chat completion (optionally streamed), image generation, audio transcription and speech synthesis.',
  },
  {
    id: '1/credits',
    level: 'stated',
    quote: 'Usage is paid in credits, charged per token at a rate that depends on the model.',
    excluded: 'a summary: 2.1/price-o3-mini and the others test the charges of each model',
  },
  {
    id: '1/sdk',
    level: 'convention',
    quote:
      'A client SDK built for the common chat-completion convention can be used by setting its base address to {base_url}/v1 and its key to an API key.',
  },
  {
    id: '1/sdk-witness',
    level: 'convention',
    quote:
      'A client SDK built for the common chat-completion convention can be used by setting its base address to {base_url}/v1 and its key to an API key.',
  },
  {
    id: '1/json-without-mark',
    level: 'convention',
    quote:
      'A client SDK built for the common chat-completion convention can be used by setting its base address to {base_url}/v1 and its key to an API key.',
  },
  {
    id: '1/intact-text',
    level: 'convention',
    quote:
      'A client SDK built for the common chat-completion convention can be used by setting its base address to {base_url}/v1 and its key to an API key.',
  },
  { id: '1/cross-talk', level: 'convention', quote: 'It offers five operations' },
  {
    id: '1/conveniences',
    level: 'stated',
    quote:
      'A playground, a console for creating and managing API keys, and the SDK are conveniences outside the HTTP contract.',
    excluded: 'outside HTTP, as the sentence states',
  },
] as const satisfies readonly RequirementRow[]
