/**
 * Operations that have their own figures: the five of the specification, with chat split into streamed and not
 * streamed.
 */
export type LoadOperation = (typeof LOAD_OPERATIONS)[number]

/** All of them, in the order of the specification. */
export const LOAD_OPERATIONS = ['models', 'chat', 'chat-stream', 'images', 'transcriptions', 'speech'] as const
