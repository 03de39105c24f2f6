import { isDeepStrictEqual } from 'node:util'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { MutantShortfall } from '../../reports/prove-document.ts'
import type { Mutant } from '../mutation/mutant.ts'
import { formatMatch, matchesResult, type ResultMatch } from '../mutation/result-match.ts'

/** Fields of a check's result that mutation testing compares. Worker threads post them, so they are plain data. */
export interface ComparedResult extends Pick<CheckEntry, 'id' | 'verdict' | 'code' | 'params' | 'value' | 'actual'> {
  readonly hasTruncatedExchange: boolean
}

export function selectComparedFields({
  id,
  verdict,
  code,
  params,
  value,
  actual,
  evidence = [],
}: CheckEntry): ComparedResult {
  return {
    id,
    verdict,
    code,
    params,
    value,
    actual,
    hasTruncatedExchange: evidence.some(({ error }) => error !== undefined),
  }
}

/** The checks that caught a mutant, and the reasons why the mutant does not count as caught. */
export interface MutantEvaluation {
  readonly kills: readonly string[]
  /** IDs of other checks whose verdict or observation changed. */
  readonly alsoTouched: readonly string[]
  /** Reasons why the mutant does not count as caught. Empty if the checks caught it. */
  readonly shortfalls: readonly MutantShortfall[]
}

export type ComparedResults = ReadonlyMap<string, ComparedResult>

export function evaluateMutant(
  { kills, mayAffect }: Mutant,
  found: ComparedResults,
  baseline: ComparedResults,
): MutantEvaluation {
  const missed = Object.entries(kills).flatMap(([check, match]): MutantShortfall[] => {
    const result = found.get(check)
    const why = whyMissed(result, baseline.get(check), match)
    return why === undefined ? [] : [{ check, why, expected: formatMatch(match), actual: textOf(result) }]
  })
  const missedIds = new Set(missed.map(({ check }) => check))
  const others = [...found.values()].filter(
    (result) => !Object.hasOwn(kills, result.id) && hasChanged(result, baseline.get(result.id)),
  )
  const allowed = new Set(mayAffect)
  const unrelated = others
    .filter((result) => !allowed.has(result.id) && isShortfall(result, baseline.get(result.id)))
    .map((result) => ({
      check: result.id,
      why: 'changed, although the mutant does not list it',
      expected: baseline.get(result.id)?.verdict ?? 'nothing',
      actual: textOf(result),
    }))
  return {
    kills: Object.keys(kills).filter((id) => !missedIds.has(id)),
    alsoTouched: others.map(({ id }) => id),
    shortfalls: [...missed, ...unrelated],
  }
}

function whyMissed(
  result: ComparedResult | undefined,
  before: ComparedResult | undefined,
  match: ResultMatch,
): string | undefined {
  if (result === undefined || before === undefined) return 'the check did not run'
  // Only these verdicts contain a finding. A check that passes or is not testable does not catch the mutant.
  if (!['fail', 'warn', 'observed'].includes(result.verdict)) return 'did not notice'
  if (result.hasTruncatedExchange && match.code !== 'no-response')
    return 'a connection failed, so the result is not evidence'
  const isOnlyObserved = result.verdict === 'observed' && before.verdict !== 'observed'
  // A check of agents may also return an observation, but then the mutant must expect that observation.
  if (isOnlyObserved && match.code !== 'observed-response') return 'observed the change instead of failing'
  if (matchesResult(match, before)) return 'reports the same finding without the mutant'
  return matchesResult(match, result) ? undefined : 'reported a different finding'
}

function textOf(result: ComparedResult | undefined): string {
  if (result === undefined) return 'nothing'
  const { operation: _operation, ...params } = result.params
  return `${result.verdict}: ${result.actual} (${result.code} ${JSON.stringify(params)})`
}

function hasChanged(result: ComparedResult, before: ComparedResult | undefined): boolean {
  return (
    result.verdict !== before?.verdict ||
    (result.verdict === 'observed' && !isDeepStrictEqual(result.value, before.value))
  )
}

/** Returns whether a changed result is a shortfall. A check cannot evaluate a response that it did not get. */
function isShortfall(result: ComparedResult, before: ComparedResult | undefined): boolean {
  return result.verdict !== before?.verdict && result.verdict !== 'not-testable'
}
