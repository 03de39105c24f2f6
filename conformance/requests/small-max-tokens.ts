/**
 * Default `max_tokens`, starting with the usual one. It is small to keep costs low, and so that typical completions are
 * truncated. The lower bound of the parameter is unspecified, so a target may reject the usual value. The run then uses
 * the other one.
 */
export const SMALL_MAX_TOKENS = { usual: 16, larger: 64 } as const
