import { convention, stated, unspecified } from '../../engine/requirement.ts'

const RESPONSE = 'Response when stream is true: a server-sent-event stream. The framing and chunk shape: not shown.'

export const streamRequirements = [
  stated('4.2/answer-with-stream', 'Response when stream is true: a server-sent-event stream.'),
  unspecified('4.2/stream-framing', RESPONSE),
  convention('4.2/stream-habits', RESPONSE),
  convention('4.2/stream-content', RESPONSE),
  unspecified('4.2/completion-text', 'Purpose: create a chat completion.'),
  convention('4.2/stream-pace', RESPONSE),
  convention('4.2/stream-abort', RESPONSE),
  convention('4.2/client-requests', RESPONSE),
]
