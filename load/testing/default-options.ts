import type { LoadOptions } from '../options/load-options.ts'

/** Options of a run that nothing special is wanted of: short chats in the smallest profile. */
export const USUAL_OPTIONS: LoadOptions = {
  scenario: 'chat-stream',
  profile: 'smoke',
  keys: {},
  seed: 1,
  models: {},
  maxTokens: 10,
  promptWords: 12,
  budgets: [],
  calibrates: true,
  timeoutMs: 1000,
  k6Options: [],
}
