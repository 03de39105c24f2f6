/**
 * What `touchstone/emulator` is: as `start-emulator.ts`, and warm, so that starting one is quick the first time too. A program
 * that starts its only emulator at once would warm up for nothing.
 */
import { warmUp } from './http/warm-up.ts'

export * from './start-emulator.ts'

await warmUp()
