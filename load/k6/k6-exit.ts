import type { TrafficSettings } from '../../scenarios/lib/load-settings.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import type { K6RunResult } from './run-k6.ts'

/** Exit codes of k6: threshold exceeded, run aborted by the script, run interrupted. */
const THRESHOLD_BROKEN = 99
const ABORTED = 108
const INTERRUPTED = 105
const NORMAL: readonly (number | null)[] = [0, THRESHOLD_BROKEN, INTERRUPTED]

/**
 * Checks that k6 accepted the options that were passed to it. If k6 rejects an option, it sends no requests.
 * @throws InvalidOptionError if k6 rejected an option
 */
export function checkK6Options({ result, exitCode, message }: K6RunResult, k6Options: readonly string[]): void {
  if (result === undefined && k6Options.length > 0 && (exitCode === 255 || exitCode === 104)) {
    const problem = `k6 rejects them: ${message}`
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'k6Options', value: k6Options.join(' '), problem })
  }
}

export function findGeneratorProblem({ result, exitCode, message, notStarted }: K6RunResult): LoadFinding | undefined {
  if (notStarted !== undefined) return { code: 'k6-not-started', params: notStarted }
  const isOutOfCredits = exitCode === ABORTED && result?.outOfCredits !== undefined
  if (result !== undefined && (isOutOfCredits || NORMAL.includes(exitCode))) return undefined
  return { code: 'k6-failed', params: { exitCode, hasResult: result !== undefined, message } }
}

/** Returns whether k6 ended after an interrupt: from a signal, or because its standard input ended. */
export function isK6Interrupted({ exitCode }: Pick<K6RunResult, 'exitCode'>): boolean {
  return exitCode === INTERRUPTED
}

/**
 * Returns a finding with the rate at which a broken threshold ended a growing load. Returns an empty list for any other
 * run.
 */
export function findBreakpoint(
  { stopsWhenBroken, stages }: TrafficSettings,
  { result, exitCode }: K6RunResult,
): LoadFinding[] {
  if (stopsWhenBroken !== true || exitCode !== THRESHOLD_BROKEN || result === undefined) return []
  const atS = Math.round((result.endedAtUnixMs - result.startedAtUnixMs) / 1000)
  const [stage] = stages
  if (stage === undefined || stages.length > 1 || result.plan === null || result.plan.due === result.plan.planned)
    return []
  const rate = stage.from + ((stage.to - stage.from) * atS) / stage.durationS
  return [{ code: 'threshold-broken', params: { afterS: atS, ratePerSecond: Math.round(rate) } }]
}
