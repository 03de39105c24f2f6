import { isJsonObject } from '../../common/json-object.ts'
import { type Operation, PARAMETER_DEFAULTS } from '../../contract/facts.ts'
import type { Outcome } from '../findings/outcome.ts'
import type { RequestDifference } from '../findings/request-difference.ts'
import { parseRequestJson } from '../http/request-body.ts'
import { type DifferenceKind, markDeclared } from './difference-kind.ts'

/** How a target treats a parameter, other than the table of its operation states. */
export type ParameterDifference = 'rejected' | 'required' | 'optional'

/** Differences by the name of the parameter, or by operation and name, such as `chat.model`. */
type Parameters = Readonly<Record<string, ParameterDifference>>

function findDeclared(parameters: Parameters, operation: Operation, name: string): ParameterDifference | undefined {
  return parameters[`${operation}.${name}`] ?? parameters[name]
}

/** Parameters that the target rejects, or requires, or that a request may omit. */
export const PARAMETER_DIFFERENCES: DifferenceKind<Parameters> = {
  text: (parameters) =>
    Object.entries(parameters)
      .map(([name, difference]) => `${name} is ${difference}`)
      .join(', '),
  replaceStatuses(parameters, { operation, difference, statuses }) {
    const isOptional =
      'omitted' in difference && findDeclared(parameters, operation, difference.parameter) === 'optional'
    return isOptional ? ['2xx'] : statuses
  },
  judge(parameters, outcome, operation) {
    if (isOfRejectedParameter(parameters, outcome, operation)) return outcome
    const found = findParameterDifference(outcome)
    const isDeclared = found !== undefined && findDeclared(parameters, operation, found.parameter) === found.difference
    return isDeclared ? markDeclared(outcome) : undefined
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
  if (!('parameter' in difference && 'value' in difference)) return false
  const defaults: Readonly<Record<string, unknown>> = PARAMETER_DEFAULTS
  return difference.value === defaults[difference.parameter]
}

/** Returns whether a check is not testable because its request contains a parameter that the target rejects. */
function isOfRejectedParameter(parameters: Parameters, { verdict, exchange }: Outcome, operation: Operation): boolean {
  if (verdict !== 'not-testable' || exchange === undefined || ![400, 422].includes(exchange.status)) return false
  const { body } = exchange.request
  const fields = body === undefined ? undefined : parseRequestJson(body)
  return (
    isJsonObject(fields) && Object.keys(fields).some((name) => findDeclared(parameters, operation, name) === 'rejected')
  )
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
  if (expected === undefined || !('status' in expected) || 'sdkError' in expected) return false
  return expected.status.every((one) => one === '2xx')
}
