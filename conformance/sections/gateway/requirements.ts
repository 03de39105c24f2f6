import { GATEWAY_SENTENCES } from '../../../contract/gateway-sentences.ts'
import type { Requirement } from '../../engine/requirement.ts'

/** Requirements for every numbered sentence of contract/gateway.md. The level `unspecified` is a policy. */
export const GATEWAY_REQUIREMENTS: readonly Requirement[] = GATEWAY_SENTENCES.map((row) => ({
  ...row,
  section: 'gateway',
}))
