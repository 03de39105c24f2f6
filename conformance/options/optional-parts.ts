import { type Operation, OPERATION_NAMES } from '../../contract/facts.ts'

/**
 * Parts of the specification that a deployment may omit: an operation, keys, accounts with credits, or a rate limit. If the
 * tester declares a part absent, the run does not include its checks.
 */
export const OPTIONAL_PARTS: readonly OptionalPart[] = [...OPERATION_NAMES, 'authentication', 'credits', 'rate-limit']

export type OptionalPart = Operation | 'authentication' | 'credits' | 'rate-limit'
