import { type LoadOptions, applyDefaults } from '../options/load-options.ts'

/** Options of a small run with short chat requests, for tests. */
export const TEST_LOAD_OPTIONS: LoadOptions = applyDefaults({ maxTokens: 10, promptWords: 12, timeoutMs: 1000 })
