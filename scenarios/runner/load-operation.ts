/** The operations that figures are kept under: the five of the document, chat with and without streaming apart. */
export type LoadOperation = 'models' | 'chat' | 'chat-stream' | 'images' | 'transcriptions' | 'speech'
