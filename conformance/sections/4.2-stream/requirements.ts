import type { Requirement } from '../../engine/requirement.ts'

const RESPONSE = 'Response when stream is true: a server-sent-event stream. The framing and chunk shape: not shown.'

export const streamRequirements = [
  {
    id: '4.2/answer-with-stream',
    section: '4.2',
    level: 'stated',
    quote: 'Response when stream is true: a server-sent-event stream.',
  },
  {
    id: '4.2/stream-framing',
    section: '4.2',
    level: 'unspecified',
    quote: RESPONSE,
  },
  {
    id: '4.2/stream-habits',
    section: '4.2',
    level: 'convention',
    quote: RESPONSE,
  },
  {
    id: '4.2/stream-content',
    section: '4.2',
    level: 'convention',
    quote: RESPONSE,
  },
  {
    id: '4.2/completion-text',
    section: '4.2',
    level: 'unspecified',
    quote: 'Purpose: create a chat completion.',
  },
  {
    id: '4.2/stream-pace',
    section: '4.2',
    level: 'convention',
    quote: RESPONSE,
  },
  {
    id: '4.2/stream-abort',
    section: '4.2',
    level: 'unspecified',
    quote: RESPONSE,
  },
  {
    id: '4.2/client-requests',
    section: '4.2',
    level: 'convention',
    quote: RESPONSE,
  },
] as const satisfies readonly Requirement[]
