/**
 * Entry `touchstone/emulator`: exports of `start-emulator.ts` with warmed-up code, so that the first start is quick
 * too. A program that starts a single emulator immediately should import `start-emulator.ts` instead.
 */
import { warmUp } from './http/warm-up.ts'

export * from './start-emulator.ts'
/** In the form of version 0.1. */
export { DECISIONS, OPTION_READERS, readOptions, type OptionReader } from './options/former-exports.ts'

await warmUp()
