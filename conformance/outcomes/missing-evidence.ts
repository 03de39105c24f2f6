/** Evidence that a check requires and that is missing from a response or a run. */
export type MissingEvidence =
  /** The response has a 2xx status but contains no part of a result of its operation. */
  | 'result'
  | 'usage'
  /** The usage reports 0 completion tokens, although the completion contains text. */
  | 'token-count'
  /** The response was truncated at `max_tokens`. */
  | 'whole-response'
  | 'served-model'
  | 'listed-model'
  | 'unsized-image'
  | 'accepted-size'
  | 'limited-response'
  | 'other-key-served-alone'
  | 'steady-balance'
  | 'response-402'
  | 'timely-retry'
  | 'event-times'
  | 'stream-length'
  | 'recorded-response'
  | 'recorded-stream'
  /** Text of a stream, and of a completion of an identical request. */
  | 'texts-to-compare'
  /** Errors of chat whose bodies conform. */
  | 'conforming-chat-errors'
  | 'recognizable-end'
  | 'stream-ends'
  | 'cut-completion'
  | 'retry-after'
  | 'completion-id'
  | 'own-id'
  | 'request'
  | 'request-of-operation'
  | 'deadline'
