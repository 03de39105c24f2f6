import type { BehaviourOptionId } from './behaviour-options.ts'

/**
 * Options for each row of `contract/unspecified-behaviour.ts`, or the reason why the emulator needs no option for that
 * row.
 */
export const OPTIONS_BY_UNSPECIFIED_BEHAVIOUR: Readonly<Record<string, readonly BehaviourOptionId[] | string>> = {
  'model-capabilities': ['capabilities', 'capability-refusal'],
  'message-fields-and-roles': ['roles', 'unknown-fields'],
  states: 'No resource has a lifecycle.',
  'stream-framing': [
    'chunk-shape',
    'done-marker',
    'line-ends',
    'keep-alive-comments',
    'bytes-per-write',
    'stream-usage',
    'tokens-per-chunk',
    'delta-role',
    'tool-call-order',
    'event-fields',
    'field-space',
    'finish-reason-place',
    'heartbeat',
    'heartbeat-ms',
    'padding-bytes',
  ],
  'quality-parameter': ['quality-parameter'],
  'vision-content': ['content-parts'],
  'image-sizes': ['sizes'],
  'audio-formats-and-language': ['audio-formats', 'language'],
  voices: ['voices'],
  events: 'The emulator sends only responses.',
  'error-body': ['error-body'],
  'rate-limits': 'Each account has its own rate limits, or none.',
  'upper-bounds': ['most-max-tokens', 'most-n', 'most-file-bytes', 'most-messages'],
  'price-split-and-deduction': ['prompt-price', 'abort-bill', 'unstreamed-abort-bill', 'tokens-per-image'],
  versioning: 'There is one version. All other paths are unknown endpoints.',
}
