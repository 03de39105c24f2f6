import { type LoadOptions, withDefaults } from '../options/load-options.ts'

/** Short chats in the smallest profile. */
export const DEFAULT_OPTIONS: LoadOptions = withDefaults({ maxTokens: 10, promptWords: 12, timeoutMs: 1000 })
