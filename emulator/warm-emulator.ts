/**
 * Package entry `touchstone/emulator`. Exports `start-emulator.ts` after executing its code once, so that the first
 * emulator starts quickly. A program that starts one emulator immediately should import `start-emulator.ts` instead.
 */
import { warmUpServer } from './http/warm-up.ts'

export * from './start-emulator.ts'

await warmUpServer()
