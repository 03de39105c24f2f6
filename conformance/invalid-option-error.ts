/** The person who started the run asked for something that cannot be: `message` says in one sentence what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
