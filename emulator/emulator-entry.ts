/**
 * Package entry `touchstone/emulator` for CommonJS, which cannot load a module with a top-level `await`. ES modules
 * load `warm-emulator.ts` instead, which has the same exports.
 */
export * from './start-emulator.ts'
/** Keeps exports of version 0.1 available. */
export { DECISIONS, OPTION_READERS, readOptions, type OptionReader } from './options/former-exports.ts'
