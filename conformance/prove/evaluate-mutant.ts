import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { Shortfall } from '../../reports/prove-document.ts'
import type { Mutant } from './mutant.ts'
import { describeMatch, matches, type ResultMatch } from './result-match.ts'

/** The part of a check's result that the proof compares. Plain data, because it crosses threads. */
export interface CheckResult extends Pick<CheckEntry, 'id' | 'verdict' | 'code' | 'params' | 'actual'> {
  /** True if an exchange was truncated. */
  readonly hasBrokenOff: boolean
}

/** Extracts the compared part from a check's entry. */
export function toCheckResult({ id, verdict, code, params, actual, evidence = [] }: CheckEntry): CheckResult {
  return {
    id,
    verdict,
    ...(code === undefined ? {} : { code }),
    ...(params === undefined ? {} : { params }),
    actual,
    hasBrokenOff: evidence.some(({ error }) => error !== undefined),
  }
}

/** Result of a run against a mutant. */
export interface Evaluation {
  /** The expected checks that caught it. */
  readonly kills: readonly string[]
  /** Other checks with a changed verdict or observation. */
  readonly alsoTouched: readonly string[]
  /** Why the mutant does not count as caught; empty if it does. */
  readonly shortfalls: readonly Shortfall[]
}

/** By check id. */
export type CheckResults = ReadonlyMap<string, CheckResult>

/** Compares a run against a mutant with the run against the unchanged server. */
export function evaluateMutant({ kills, mayAffect }: Mutant, found: CheckResults, baseline: CheckResults): Evaluation {
  const missed = Object.entries(kills).flatMap(([check, match]): Shortfall[] => {
    const result = found.get(check)
    const why = whyMissed(result, baseline.get(check), match)
    return why === undefined ? [] : [{ check, why, expected: describeMatch(match), said: textOf(result) }]
  })
  const missedIds = new Set(missed.map(({ check }) => check))
  const others = [...found.values()].filter(
    (result) => !Object.hasOwn(kills, result.id) && hasTurned(result, baseline.get(result.id)),
  )
  const allowed = new Set(mayAffect)
  const unrelated = others
    .filter((result) => !allowed.has(result.id) && isShortfall(result, baseline.get(result.id)))
    .map((result) => ({
      check: result.id,
      why: 'turned, although the mutant does not concern it',
      expected: baseline.get(result.id)?.verdict ?? 'nothing',
      said: textOf(result),
    }))
  return {
    kills: Object.keys(kills).filter((id) => !missedIds.has(id)),
    alsoTouched: others.map(({ id }) => id),
    shortfalls: [...missed, ...unrelated],
  }
}

function whyMissed(
  result: CheckResult | undefined,
  before: CheckResult | undefined,
  match: ResultMatch,
): string | undefined {
  if (result === undefined || before === undefined) return 'no such check ran'
  // A check with a truncated exchange, or one that did not run, has caught nothing.
  if (!['fail', 'warn', 'observed'].includes(result.verdict)) return 'did not notice'
  if (result.hasBrokenOff) return 'an exchange broke off, which is no catch'
  if (result.verdict === 'observed' && before.verdict !== 'observed') return 'only observed it'
  if (matches(match, before)) return 'finds the same without the mutant'
  return matches(match, result) ? undefined : 'turned for another reason'
}

function textOf(result: CheckResult | undefined): string {
  if (result === undefined) return 'nothing'
  const { operation: _operation, ...params } = result.params ?? {}
  return `${result.verdict}: ${result.actual} (${result.code} ${JSON.stringify(params)})`
}

function hasTurned(result: CheckResult, before: CheckResult | undefined): boolean {
  return result.verdict !== before?.verdict || (result.verdict === 'observed' && result.actual !== before.actual)
}

/** `not-testable` is not a shortfall: if a request is rejected, checks of its response cannot run. */
function isShortfall(result: CheckResult, before: CheckResult | undefined): boolean {
  return result.verdict !== before?.verdict && result.verdict !== 'not-testable'
}
