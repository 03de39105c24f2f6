/**
 * Parts of the specification that a deployment may lack: an operation, accounts with credits, or a rate limit. The
 * owner declares them absent; their checks are then not planned.
 */
export const PARTS = ['models', 'chat', 'images', 'transcriptions', 'speech', 'credits', 'rate-limit'] as const

/** One of these parts. */
export type Part = (typeof PARTS)[number]
