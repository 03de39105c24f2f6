import type { Operation } from '../../contract/facts.ts'
import type { ExpectedStatus } from '../findings/expectations.ts'
import * as expect from '../findings/expect.ts'
import type { JudgedResponses, Outcome } from '../findings/outcome.ts'
import type { DeclaredDifference, DifferenceName } from './declared-differences.ts'

/**
 * Judges the responses of a check by the declared differences instead of the specification. The verdict is `declared` if
 * the target departs from the specification exactly as declared, and `fail` if it departs from the declaration.
 */
export function judgeByDifferences(
  { judged, ...outcome }: Outcome,
  operation: Operation,
  differences: readonly DeclaredDifference[],
): Outcome {
  if (differences.length === 0) return outcome
  const byStatuses = judged === undefined ? undefined : judgeStatuses(judged, operation, differences)
  if (byStatuses !== undefined) return { ...selectPresentation(outcome), ...byStatuses }
  for (const difference of differences) {
    const found = difference.judge(outcome, operation)
    if (found !== undefined) return { ...found, differences: [difference.name] }
  }
  return outcome
}

/** Selects what a check adds to its outcome for the command of the report. */
function selectPresentation({
  sequence,
  pauseS,
  parallel,
}: Outcome): Pick<Outcome, 'sequence' | 'pauseS' | 'parallel'> {
  return {
    ...(sequence === undefined ? {} : { sequence }),
    ...(pauseS === undefined ? {} : { pauseS }),
    ...(parallel === undefined ? {} : { parallel }),
  }
}

/**
 * Judges error responses again, with the declared statuses. Returns undefined if the declarations make no difference to
 * the result.
 */
function judgeStatuses(
  judged: JudgedResponses,
  operation: Operation,
  differences: readonly DeclaredDifference[],
): Outcome | undefined {
  /** Names of the differences that changed the statuses for a response. */
  const names = new Map<expect.InvalidRequest, readonly DifferenceName[]>()
  const statusesOf = (invalid: expect.InvalidRequest): readonly ExpectedStatus[] => {
    let statuses = judged.statuses
    const changed: DifferenceName[] = []
    for (const difference of differences) {
      const replaced = difference.replaceStatuses({
        operation,
        difference: invalid.difference,
        specified: judged.statuses,
        statuses,
      })
      if (replaced !== statuses) changed.push(difference.name)
      statuses = replaced
    }
    if (changed.length > 0) names.set(invalid, changed)
    // A declared 2xx contains a result, because an error that looks like success cannot be declared.
    return expect.isServed(invalid.response) || judged.statuses.includes('2xx')
      ? statuses
      : statuses.filter((status) => status !== '2xx')
  }
  const outcome = expect.judgeErrorResponses(judged, statusesOf)
  if (names.size === 0) return undefined
  if (outcome.verdict === 'fail') {
    const failed = judged.invalid.find(({ response }) => response === outcome.exchange)
    const declared = failed === undefined ? undefined : names.get(failed)
    return declared === undefined ? outcome : { ...outcome, differences: declared }
  }
  if (outcome.verdict !== 'pass') return outcome
  const departed = judged.invalid.filter(({ response }) => !expect.hasAllowedStatus(response, judged.statuses))
  const shown = [...new Set(departed.flatMap((invalid) => names.get(invalid) ?? []))]
  return shown.length === 0 ? outcome : { ...outcome, verdict: 'declared', differences: shown }
}
