/**
 * Parts of the specification that a deployment may omit: an operation, accounts with credits, or a rate limit. The
 * checks of a part that the tester declares absent are not planned.
 */
export const OPTIONAL_PARTS = ['models', 'chat', 'images', 'transcriptions', 'speech', 'credits', 'rate-limit'] as const

/** A part of the specification that a deployment may omit. */
export type OptionalPart = (typeof OPTIONAL_PARTS)[number]
