/** `max_tokens` of small chats. A target may reject the usual value, because the lower bound is unspecified. */
export const SMALL_MAX_TOKENS = { usual: 16, larger: 64 } as const
