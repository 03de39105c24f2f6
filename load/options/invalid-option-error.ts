/** Something that was asked for cannot be: one sentence that says what can. Exit code 2, and nothing was sent. */
export class LoadUsageError extends Error {}
