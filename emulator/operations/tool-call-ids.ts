/** Number of leading digits that the IDs of all calls of a response have in common. */
const COMMON_DIGITS = 20
const GENERATED_ID = /^call_[\da-f]{24}$/

/**
 * Creates the ID of a tool call. The IDs of a response have the same first digits, so that fixtures can recognize calls
 * that a client distributes over several assistant messages.
 * @param digits 24 random hexadecimal digits of the response
 * @param index position of the call in the message
 */
export function deriveCallId(digits: string, index: number): string {
  const last = Number.parseInt(digits.slice(COMMON_DIGITS), 16) + index
  return `call_${digits.slice(0, COMMON_DIGITS)}${(last % 0x1_0000).toString(16).padStart(4, '0')}`
}

/** Returns a value that all generated IDs of a response share, or undefined if the emulator did not generate the ID. */
export function getResponseOfCall(id: unknown): string | undefined {
  return typeof id === 'string' && GENERATED_ID.test(id) ? id.slice(0, -4) : undefined
}
