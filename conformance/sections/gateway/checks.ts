import type { Check } from '../../engine/check.ts'
import { cacheChecks } from './cache.ts'
import { failureChecks, failurePolicyChecks } from './failure-checks.ts'
import { mediaChecks } from './media.ts'
import { headerChecks, requestChecks } from './requests.ts'
import { eventFormChecks, finishReasonChecks, textChecks } from './text.ts'
import { failureSlotChecks, slotChecks } from './slots.ts'
import { toolCallChecks } from './tool-calls.ts'
import { abortChecks, isolationChecks, paceChecks, runChecks } from './traffic.ts'
import { usageChecks } from './usage.ts'

/** Those that make the upstream fail run after all others, and those of all requests last. */
export const GATEWAY_CHECKS: readonly Check[] = [
  ...textChecks,
  ...toolCallChecks,
  ...finishReasonChecks,
  ...usageChecks,
  ...mediaChecks,
  ...requestChecks,
  ...headerChecks,
  ...cacheChecks,
  ...eventFormChecks,
  ...paceChecks,
  ...abortChecks,
  ...slotChecks,
  ...isolationChecks,
  ...failureChecks,
  ...failurePolicyChecks,
  ...failureSlotChecks,
  ...runChecks,
]
