/** Checks that send their requests while those of other checks are open. */
export const PARALLEL_CHECKS = [
  'stream-text',
  'completion-text',
  'stream-tool-calls',
  'completion-tool-calls',
  'stream-finish-reason',
  'completion-finish-reason',
  'stream-usage',
  'completion-usage',
  'usage-form',
  'tools',
  'event-form',
  'reasoning',
  'cache',
].map((name) => `gateway/${name}`)
