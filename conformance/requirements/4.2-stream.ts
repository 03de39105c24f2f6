import type { Requirement } from './requirement.ts'

const RESPONSE = 'Response when stream is true: a server-sent-event stream. The framing and chunk shape: not shown.'

/** Section 4.2: the stream of a chat completion. */
export const streamRequirements = [
  {
    id: '4.2/answer-with-stream',
    section: '4.2',
    level: 'stated',
    quote: 'Response when stream is true: a server-sent-event stream.',
    checks: ['4.2/stream-media-type', '4.2/stream-events', '4.2/streams-at-once'],
  },
  {
    id: '4.2/stream-framing',
    section: '4.2',
    level: 'silent',
    quote: RESPONSE,
    checks: ['4.2/stream-frames', '4.2/stream-usage-asked'],
  },
  {
    id: '4.2/stream-habits',
    section: '4.2',
    level: 'convention',
    quote: RESPONSE,
    checks: [
      '4.2/chunk-json',
      '4.2/chunk-object',
      '4.2/chunk-id',
      '4.2/chunk-index',
      '4.2/role-first',
      '4.2/content-text',
      '4.2/finish-reason-last',
      '4.2/no-error-member',
      '4.2/usage-not-asked',
      '4.2/done-last',
      '4.2/last-frame-closed',
    ],
  },
  {
    id: '4.2/stream-pace',
    section: '4.2',
    level: 'convention',
    quote: RESPONSE,
    checks: ['4.2/stream-progress'],
  },
  {
    id: '4.2/stream-abort',
    section: '4.2',
    level: 'silent',
    quote: RESPONSE,
    checks: ['4.2/left-stream'],
  },
  {
    id: '4.2/client-requests',
    section: '4.2',
    level: 'convention',
    quote: RESPONSE,
    checks: ['4.2/stream-options-accepted', '4.2/stream-accept-json'],
  },
] as const satisfies readonly Requirement[]
