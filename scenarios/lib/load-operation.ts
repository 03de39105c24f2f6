/**
 * An operation with its own figures: the five operations of the specification, with separate figures for streamed chat.
 */
export type LoadOperation = (typeof LOAD_OPERATIONS)[number]

/** All operations, in the order of the specification. */
export const LOAD_OPERATIONS = ['models', 'chat', 'chat-stream', 'images', 'transcriptions', 'speech'] as const
