/**
 * Parts of the specification that a deployment may omit: an operation, accounts with credits, or a rate limit. If the
 * tester declares a part absent, the run does not include its checks.
 */
export const OPTIONAL_PARTS = ['models', 'chat', 'images', 'transcriptions', 'speech', 'credits', 'rate-limit'] as const

export type OptionalPart = (typeof OPTIONAL_PARTS)[number]
