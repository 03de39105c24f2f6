import type { LoadSettings } from '../../scenarios/lib/load-settings.ts'
import { LoadUsageError } from '../options/invalid-option-error.ts'
import type { K6End } from './run-k6.ts'

/** k6 ends with these where one of its thresholds is broken, which is a matter of budgets, where its script ended it, and where it was interrupted. */
const K6_BROKEN = 99
const K6_ABORTED = 108
const ENDS_WELL: readonly (number | null)[] = [0, K6_BROKEN, 105]

/** Nothing was sent where k6 could not make sense of its options. @throws LoadUsageError */
export function checkOptions({ result, exitCode, lastWords }: K6End, k6Options: readonly string[]): void {
  if (result === undefined && k6Options.length > 0 && (exitCode === 255 || exitCode === 104)) {
    throw new LoadUsageError(`k6 does not take the options after --: ${lastWords}`)
  }
}

/** What went wrong with the generator itself, in one sentence; undefined where nothing did. */
export function findHarnessProblem({ result, exitCode, lastWords }: K6End): string | undefined {
  const isOutOfCredits = exitCode === K6_ABORTED && result?.outOfCredits !== undefined
  if (result !== undefined && (isOutOfCredits || ENDS_WELL.includes(exitCode))) return undefined
  const how = exitCode === null ? 'was ended by a signal' : `ended with ${exitCode}`
  return `k6 ${how}${result === undefined ? ' and told nothing' : ''}${lastWords === '' ? '.' : `: ${lastWords}`}`
}

/** Where a load that grows until a budget breaks was ended by k6. */
export function findBreakpoint({ stopsWhenBroken, stages }: LoadSettings, { result, exitCode }: K6End): string[] {
  if (stopsWhenBroken !== true || exitCode !== K6_BROKEN || result === undefined) return []
  const atS = Math.round((result.endedAtUnixMs - result.startedAtUnixMs) / 1000)
  const [stage] = stages
  if (stage === undefined || stages.length > 1 || result.plan === null || result.plan.due === result.plan.planned)
    return []
  const rate = stage.from + ((stage.to - stage.from) * atS) / stage.durationS
  return [
    `A threshold of k6 was broken after ${atS} s, at about ${Math.round(rate)} requests a second: there the run was ended.`,
  ]
}
