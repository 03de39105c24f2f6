import type { DecisionId } from './decisions.ts'

/** What becomes of each silence of `contract/silences.ts`: decisions, or why there is nothing to decide here. */
export const SILENCES_DECIDED: Readonly<Record<string, readonly DecisionId[] | string>> = {
  'model-capabilities': ['capabilities', 'capability-refusal'],
  'message-fields-and-roles': ['roles', 'unknown-fields'],
  states: 'No resource has a lifecycle, so there is nothing to do.',
  'stream-framing': [
    'chunk-shape',
    'done-marker',
    'line-ends',
    'keep-alive-comments',
    'bytes-per-write',
    'stream-usage',
  ],
  'quality-parameter': ['quality-parameter'],
  'vision-content': ['content-parts'],
  'image-sizes': ['sizes'],
  'audio-formats-and-language': ['audio-formats', 'language'],
  voices: ['voices'],
  events: 'Nothing is sent to clients but answers.',
  'error-body': ['error-body'],
  'rate-limits': 'Each account has its own limits, or none: they are terms of the account.',
  'upper-bounds': ['most-max-tokens', 'most-n', 'most-file-bytes', 'most-messages'],
  'price-split-and-deduction': ['prompt-price', 'abort-bill', 'tokens-per-image'],
  versioning: 'There is one version; every other path is an unknown endpoint.',
}
