/**
 * Behaviour that the specification marks as "not shown". The suite reports such behaviour as observed and never fails a
 * target for it.
 *
 * `quote` is the line of `spec.md` without its list marker. `unspecified-behaviour.test.ts` checks that each quote
 * occurs exactly once in its section, and that every "not shown" line has a row.
 */
export const UNSPECIFIED_BEHAVIOUR = [
  {
    id: 'model-capabilities',
    section: '2.1',
    quote: 'Capabilities of each model, meaning which models serve images, audio or vision: not shown.',
  },
  {
    id: 'message-fields-and-roles',
    section: '2.3',
    quote:
      'Fields of a request message beyond role and content, and the allowed roles beyond "system", "user" and "assistant": not shown.',
  },
  {
    id: 'states',
    section: '3',
    quote: 'States and transitions: not shown. No resource with a lifecycle is described.',
  },
  {
    id: 'stream-framing',
    section: '4.2',
    quote: 'Response when stream is true: a server-sent-event stream. The framing and chunk shape: not shown.',
  },
  {
    id: 'quality-parameter',
    section: '4.2',
    quote: 'The request parameter that selects a quality mode (2.2): not shown.',
  },
  {
    id: 'vision-content',
    section: '4.2',
    quote: 'The structure of message content for vision and multi-modal input: not shown.',
  },
  { id: 'image-sizes', section: '4.3', quote: 'The full list of allowed size values: not shown.' },
  {
    id: 'audio-formats-and-language',
    section: '4.4',
    quote: 'Accepted audio formats and the language code format beyond "a language code": not shown.',
  },
  { id: 'voices', section: '4.5', quote: 'The list of valid voice IDs: not shown.' },
  {
    id: 'events',
    section: '6',
    quote:
      'Events: not shown. Webhooks and other event notifications are not described. Streaming of chat completions is described in 4.2.',
  },
  {
    id: 'error-body',
    section: '7',
    quote: 'The shape of the error response body and any error code strings: not shown.',
  },
  { id: 'rate-limits', section: '8', quote: 'Rate limit thresholds and windows: not shown.' },
  {
    id: 'upper-bounds',
    section: '8',
    quote: 'Upper bounds of max_tokens, n, audio file size and message count: not shown.',
  },
  {
    id: 'price-split-and-deduction',
    section: '8',
    quote: 'Whether prompt and completion tokens are priced the same, and how credits are deducted: not shown.',
  },
  { id: 'versioning', section: '9', quote: 'Versioning policy, deprecation rules and other versions: not shown.' },
] as const
