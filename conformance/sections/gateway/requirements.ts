import { GATEWAY_SENTENCES } from '../../../contract/gateway-sentences.ts'
import type { Requirement } from '../../engine/requirement.ts'

/**
 * Requirements for every numbered sentence of contract/gateway.md, in the order of the document. A violation of the level
 * `stated` is a violation of integrity. The level `unspecified` is a policy of the gateway.
 */
export const GATEWAY_REQUIREMENTS: readonly Requirement[] = GATEWAY_SENTENCES.map((row) => ({
  ...row,
  section: 'gateway',
}))
