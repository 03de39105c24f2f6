/**
 * Reads the number of reasoning tokens from the usage of a chat completion or of the extension `responses`. Returns 0 if
 * the usage does not name a possible number.
 */
export function readReasoningTokens(usage: unknown): number {
  const { completion_tokens_details: chat, output_tokens_details: response = chat }: UsageDetails = Object(usage)
  const { reasoning_tokens: tokens }: { reasoning_tokens?: unknown } = Object(response)
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : 0
}

interface UsageDetails {
  readonly completion_tokens_details?: unknown
  readonly output_tokens_details?: unknown
}
