import type { Operation } from '../../../contract/facts.ts'
import { parseJson } from '../../http/decode-body.ts'
import { formatExcerpt } from '../json-excerpt.ts'
import type { JsonExcerpt } from '../observed-facts.ts'
import type { RequestDifference } from '../request-difference.ts'
import type { CauseFamily, CheckFinding, PossibleCause } from './finding.ts'
import { buildOtherCause } from './other-cause.ts'
import type { RejectedValue, RunFacts } from './run-facts.ts'
import { describeEndpoint, formatList, formatResponseNoun, getMember } from './title-parts.ts'

/**
 * Returns the possible causes of a rejected request: those of its parameter values that other rejected requests also
 * contain.
 */
export function findRejectedValueCauses(
  { outcome, operation }: CheckFinding,
  label: string,
  run: RunFacts,
): PossibleCause[] {
  const body = parseJson(Buffer.from(outcome.exchange?.request.body ?? []).toString('utf8'))
  const rejectedValues = run.rejectedValues.filter(
    (one) => one.operation === operation && one.label === label && containsRejected(body, one),
  )
  const parameters = new Set(rejectedValues.map(({ parameter }) => parameter))
  return [...parameters].map((parameter) => createRejectedParameterCause(operation, label, parameter))
}

/** Returns whether a body contains a rejected value, or a parameter that its model does not support. */
function containsRejected(body: unknown, { parameter, value, unsupportedBy }: RejectedValue): boolean {
  const actual = getMember(body, parameter)
  if (actual === undefined) return false
  return actual === value || (unsupportedBy !== undefined && getMember(body, 'model') === unsupportedBy)
}

/** Creates the cause that the target rejects valid values of a parameter. */
export function createRejectedParameterCause(operation: Operation, label: string, parameter: string): PossibleCause {
  return {
    key: `variant ${operation} ${label} ${parameter}`,
    title: (members) => {
      const differences = members.flatMap(({ outcome }) => outcome.difference ?? [])
      const values = differences.map(valueOf).filter((value) => value !== undefined)
      const written = [...new Set(values.map((value) => formatExcerpt(value)))]
      const gets = `get ${formatResponseNoun(label)}`
      const tested = members.filter(({ entry }) => entry.verdict !== 'not-testable')
      const [only] = tested.every(({ outcome }) => outcome.code === 'served-only-otherwise') ? tested : []
      if (only !== undefined) return buildOtherCause(only).title(members)
      if (written.length > 1)
        return `Valid values of \`${parameter}\` get ${formatResponseNoun(label)}: ${formatList(written)}`
      return written.length === 0
        ? `Valid requests to ${describeEndpoint(operation)} ${gets}, as other requests with this \`${parameter}\` do`
        : `Valid requests to ${describeEndpoint(operation)} with \`${parameter}\` ${written.join('')} ${gets}`
    },
    families: [someFamily(operation)],
  }
}

export function someFamily(operation: Operation): CauseFamily {
  return {
    key: `some ${operation}`,
    title: () => `Some valid requests to ${describeEndpoint(operation)} are not served`,
  }
}

export function parameterOf(difference: RequestDifference | undefined): string | undefined {
  return difference !== undefined && 'parameter' in difference ? difference.parameter : undefined
}

export function valueOf(difference: RequestDifference | undefined): JsonExcerpt | undefined {
  return difference !== undefined && 'value' in difference ? difference.value : undefined
}
