import type { LoadDocument } from '../../reports/load-document.ts'
import type { ExtensionResult } from '../../scenarios/lib/extension-result.ts'
import type { LoadSettings } from '../../scenarios/lib/load-settings.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { listEntries } from '../metrics/measurements.ts'

/**
 * Maximum time by which a closed loop may end before its planned duration has passed. k6 and the result start their
 * clocks separately.
 */
const SLACK_S = 1

/**
 * Returns a finding if k6 stopped before it had sent its whole plan, such as after a signal or because its pod was
 * deleted. A different finding reports dropped requests: due requests that k6 did not send.
 */
export function findIncompletePlan(
  { plan, segment, operations, startedAtUnixMs, endedAtUnixMs }: ExtensionResult,
  scenario: string,
  { iterations, stages }: Pick<LoadSettings, 'iterations' | 'stages'>,
): LoadFinding | undefined {
  if (plan !== null) {
    const { planned, due } = plan
    return due >= planned ? undefined : { code: 'plan-not-sent', params: { sent: due, planned } }
  }
  // The scenario credit-drain ends when the account is empty, and verifies that the account is empty.
  if (scenario === 'credit-drain') return undefined
  if (iterations !== undefined) {
    // k6 rounds a segment's share of the iterations down.
    const planned = Math.floor(iterations / segment.count)
    const sent = listEntries(operations).reduce((sum, [, operation]) => sum + operation.sent, 0)
    return sent >= planned ? undefined : { code: 'plan-not-sent', params: { sent, planned } }
  }
  const plannedS = stages.reduce((sum, { durationS }) => sum + durationS, 0)
  const actualS = (endedAtUnixMs - startedAtUnixMs) / 1000
  const isOver = actualS >= plannedS - SLACK_S - secondsToFirstClient(stages)
  return isOver ? undefined : { code: 'duration-not-reached', params: { actualS: Math.round(actualS), plannedS } }
}

/**
 * Returns the time until a load that grows from 0 has its first client. The duration in the result starts with that
 * client.
 */
function secondsToFirstClient([first]: LoadSettings['stages']): number {
  if (first === undefined || Math.round(first.from) > 0) return 0
  return first.durationS / Math.max(1, first.to)
}

/** Codes of the findings for a segment that did not send its whole plan. */
const INCOMPLETE_CODES: readonly string[] = [
  'ended-early',
  'plan-not-sent',
  'duration-not-reached',
  'spend-limit-reached',
] satisfies LoadFinding['code'][]

/**
 * Returns whether the document of a segment covers only a part of its plan. A growing load that ended at its threshold
 * is complete.
 */
export function isIncompleteSegment({
  findings,
  requests: { planned, dropped, sent },
}: Pick<LoadDocument, 'findings'> & {
  readonly requests: Pick<LoadDocument['requests'], 'planned' | 'dropped' | 'sent'>
}): boolean {
  const codes = findings.map(({ code }) => code)
  if (sent === 0 || codes.some((code) => INCOMPLETE_CODES.includes(code))) return true
  return planned !== null && sent + dropped < planned && !codes.includes('threshold-broken')
}
