import { isRecord } from '../../common/schema/find-schema-problems.ts'
import { PARAMETER_DEFAULTS } from '../../contract/facts.ts'
import type { Outcome } from '../findings/outcome.ts'
import type { RequestDifference } from '../findings/request-difference.ts'
import { parseRequestJson } from '../http/request-json.ts'
import { type DifferenceKind, markDeclared } from './difference-kind.ts'

/** How a target treats a parameter, other than the table of its operation states. */
export type ParameterDifference = 'rejected' | 'required' | 'optional'

/** Parameters that the target rejects, or requires, or that a request may omit. */
export const PARAMETER_DIFFERENCES: DifferenceKind<Readonly<Record<string, ParameterDifference>>> = {
  text: (parameters) =>
    Object.entries(parameters)
      .map(([name, difference]) => `${name} is ${difference}`)
      .join(', '),
  replaceStatuses(parameters, { difference, statuses }) {
    const isOptional = 'omitted' in difference && parameters[difference.parameter] === 'optional'
    return isOptional ? ['2xx'] : statuses
  },
  judge(parameters, outcome) {
    if (isOfRejectedParameter(parameters, outcome)) return outcome
    const found = findParameterDifference(outcome)
    return found !== undefined && parameters[found.parameter] === found.difference ? markDeclared(outcome) : undefined
  },
  detect(outcome) {
    const found = findParameterDifference(outcome)
    const { difference } = outcome
    // One rejected value is no rejected parameter, unless it is the default, which changes nothing.
    if (difference !== undefined && 'value' in difference && !isDefault(difference)) return undefined
    return found === undefined ? undefined : { [found.parameter]: found.difference }
  },
}

function isDefault(difference: RequestDifference): boolean {
  return (
    'parameter' in difference &&
    'value' in difference &&
    Object.entries(PARAMETER_DEFAULTS).some(
      ([name, value]) => name === difference.parameter && value === difference.value,
    )
  )
}

/** Returns whether a check is not testable because its request contains a parameter that the target rejects. */
function isOfRejectedParameter(
  parameters: Readonly<Record<string, ParameterDifference>>,
  { verdict, exchange }: Outcome,
): boolean {
  if (verdict !== 'not-testable' || exchange === undefined || ![400, 422].includes(exchange.status)) return false
  const { body } = exchange.request
  const fields = body === undefined ? undefined : parseRequestJson(body)
  return isRecord(fields) && Object.keys(fields).some((name) => parameters[name] === 'rejected')
}

function findParameterDifference(
  outcome: Outcome,
): { readonly parameter: string; readonly difference: ParameterDifference } | undefined {
  const { verdict, code, params, difference } = outcome
  if (verdict !== 'fail') return undefined
  if (code === 'served-only-otherwise' && 'parameter' in params.servedWith) {
    const { parameter } = params.servedWith
    return { parameter, difference: 'omitted' in params.servedWith ? 'rejected' : 'required' }
  }
  if (code !== 'unexpected-status' || difference === undefined || !('parameter' in difference)) return undefined
  const { actualStatus } = params
  const { parameter } = difference
  if ('omitted' in difference) return actualStatus < 300 ? { parameter, difference: 'optional' } : undefined
  const isRejected = actualStatus >= 400 && actualStatus < 500 && expectsSuccess(outcome)
  return isRejected ? { parameter, difference: 'rejected' } : undefined
}

function expectsSuccess({ expected }: Outcome): boolean {
  return (
    expected !== undefined &&
    'status' in expected &&
    !('sdkError' in expected) &&
    expected.status.every((one) => one === '2xx')
  )
}
