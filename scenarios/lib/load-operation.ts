/** The operations that figures are kept under: the five of the document, chat with and without streaming apart. */
export type LoadOperation = (typeof LOAD_OPERATIONS)[number]

/** All of them, in the order of the document. */
export const LOAD_OPERATIONS = ['models', 'chat', 'chat-stream', 'images', 'transcriptions', 'speech'] as const
