/**
 * Package entry `touchstone/emulator` for CommonJS, which can load no module that awaits at its top level. ES modules get
 * `warm-emulator.ts`, which exports the same.
 */
export * from './start-emulator.ts'
/** Exports in the form of version 0.1. */
export { DECISIONS, OPTION_READERS, readOptions, type OptionReader } from './options/former-exports.ts'
