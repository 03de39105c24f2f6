/**
 * Package entry `touchstone/emulator`. Exports `emulator-entry.ts` after executing its code once, so that the first
 * emulator starts quickly. A program that starts one emulator immediately should import `start-emulator.ts` instead.
 */
import { warmUpServer } from './http/warm-up.ts'

export * from './emulator-entry.ts'

await warmUpServer()
