import type { RequirementRow } from '../../engine/requirement.ts'

const RESPONSE = 'Response when stream is true: a server-sent-event stream. The framing and chunk shape: not shown.'

export const streamRequirements = [
  { id: '4.2/answer-with-stream', level: 'stated', quote: 'Response when stream is true: a server-sent-event stream.' },
  { id: '4.2/stream-framing', level: 'unspecified', quote: RESPONSE },
  { id: '4.2/stream-habits', level: 'convention', quote: RESPONSE },
  { id: '4.2/stream-content', level: 'convention', quote: RESPONSE },
  { id: '4.2/completion-text', level: 'unspecified', quote: 'Purpose: create a chat completion.' },
  { id: '4.2/stream-pace', level: 'convention', quote: RESPONSE },
  { id: '4.2/stream-abort', level: 'convention', quote: RESPONSE },
  { id: '4.2/client-requests', level: 'convention', quote: RESPONSE },
] as const satisfies readonly RequirementRow[]
