import { omitUndefined } from '../../common/json-object.ts'
import type { Operation } from '../../contract/facts.ts'
import type { ExpectedStatus } from '../findings/expectations.ts'
import * as expect from '../findings/expect.ts'
import type { InvalidRequest, JudgedResponses, Outcome } from '../findings/outcome.ts'
import type { DeclaredDifference, DifferenceName } from './declared-differences.ts'

/** Judges the responses of a check by the declared differences: `declared` if they match, and `fail` if not. */
export function judgeByDifferences(
  { judged, ...outcome }: Outcome,
  operation: Operation,
  differences: readonly DeclaredDifference[],
): Outcome {
  if (differences.length === 0) return outcome
  const byStatuses = judged === undefined ? undefined : judgeStatuses(judged, operation, differences)
  // The command of the report stays the same.
  const { sequence, pauseS, parallel } = outcome
  if (byStatuses !== undefined) return { ...omitUndefined({ sequence, pauseS, parallel }), ...byStatuses }
  for (const difference of differences) {
    const found = difference.judge(outcome, operation)
    if (found !== undefined) return { ...found, differences: [difference.name] }
  }
  return outcome
}

/** Statuses that the declarations allow for one invalid request, and the differences that changed them. */
interface DeclaredStatuses {
  readonly statuses: readonly ExpectedStatus[]
  readonly names: readonly DifferenceName[]
}

function changeStatuses(
  { difference, response }: InvalidRequest,
  specified: readonly ExpectedStatus[],
  operation: Operation,
  differences: readonly DeclaredDifference[],
): DeclaredStatuses {
  let statuses = specified
  const names: DifferenceName[] = []
  for (const { name, replaceStatuses } of differences) {
    const replaced = replaceStatuses({ operation, difference, specified, statuses })
    if (replaced !== statuses) names.push(name)
    statuses = replaced
  }
  // A declared 2xx contains a result, because an error that looks like success cannot be declared.
  const isAllowed = specified.includes('2xx') || expect.isServed(response)
  return { statuses: isAllowed ? statuses : statuses.filter((status) => status !== '2xx'), names }
}

/** Judges error responses again. Returns undefined if the declarations make no difference to the result. */
function judgeStatuses(
  judged: JudgedResponses,
  operation: Operation,
  differences: readonly DeclaredDifference[],
): Outcome | undefined {
  const { invalid, statuses: specified } = judged
  const changes = new Map(invalid.map((one) => [one, changeStatuses(one, specified, operation, differences)]))
  const namesOf = (one: InvalidRequest | undefined): readonly DifferenceName[] =>
    one === undefined ? [] : (changes.get(one)?.names ?? [])
  if (invalid.every((one) => namesOf(one).length === 0)) return undefined
  const outcome = expect.judgeErrorResponses(judged, (one) => changes.get(one)?.statuses ?? specified)
  if (outcome.verdict === 'fail') {
    const names = namesOf(invalid.find(({ response }) => response === outcome.exchange))
    return names.length === 0 ? outcome : { ...outcome, differences: names }
  }
  if (outcome.verdict !== 'pass') return outcome
  const departed = invalid.filter(({ response }) => !expect.hasAllowedStatus(response, specified))
  const shown = [...new Set(departed.flatMap(namesOf))]
  return shown.length === 0 ? outcome : { ...outcome, verdict: 'declared', differences: shown }
}
