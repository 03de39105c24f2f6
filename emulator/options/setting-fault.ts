/** A setting that cannot be, with a message of one sentence for the person who made it. */
export class InvalidOptionError extends Error {}
