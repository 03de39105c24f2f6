/** An operation with separate metrics: one of the five operations of the specification, or streamed chat. */
export type LoadOperation = (typeof LOAD_OPERATIONS)[number]

/** All operations, in the order of the specification. */
export const LOAD_OPERATIONS = ['models', 'chat', 'chat-stream', 'images', 'transcriptions', 'speech'] as const
