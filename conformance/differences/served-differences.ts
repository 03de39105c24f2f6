import { type Operation, PARAMETERS, TEMPERATURE_RANGE } from '../../contract/facts.ts'
import type { Outcome } from '../findings/outcome.ts'
import type { RequestDifference } from '../findings/request-difference.ts'
import { type DifferenceKind, isServedResult, isStatusMissing, markDeclared } from './difference-kind.ts'

/** Returns how a request differs that the target serves although it should reject it. */
function findServed({ verdict, code, params, difference }: Outcome): RequestDifference | undefined {
  const isServed = verdict === 'fail' && code === 'unexpected-status' && isServedResult(params)
  return isServed ? difference : undefined
}

/** The target has no keys: it serves every request, whatever its header Authorization. */
export const AUTHENTICATION: DifferenceKind<'none'> = {
  text: () => 'no keys',
  replaceStatuses: (_value, { difference, statuses }) =>
    'credential' in difference ? statuses.map((status) => (status === 401 ? '2xx' : status)) : statuses,
  judge(_value, outcome) {
    if (isStatusMissing(outcome, 401)) return outcome
    const { expected } = outcome
    const isAboutPrefix = expected !== undefined && 'rule' in expected && expected.rule === 'key-prefix'
    return isAboutPrefix ? markDeclared(outcome) : undefined
  },
  detect(outcome) {
    const served = findServed(outcome)
    return served !== undefined && 'credential' in served ? 'none' : undefined
  },
}

/** The target serves temperatures outside the range of section 4.2. */
export const TEMPERATURE_RANGE_DIFFERENCE: DifferenceKind<'unlimited'> = {
  text: () => 'temperature is not limited',
  replaceStatuses: (_value, { difference, statuses }) => (isOutsideRange(difference) ? ['2xx'] : statuses),
  detect: (outcome) => (isOutsideRange(findServed(outcome)) ? 'unlimited' : undefined),
}

function isOutsideRange(difference: RequestDifference | undefined): boolean {
  if (difference === undefined || !('parameter' in difference && 'value' in difference)) return false
  const { parameter, value } = difference
  const isNumber = parameter === 'temperature' && typeof value === 'number'
  return isNumber && (value < TEMPERATURE_RANGE.min || value > TEMPERATURE_RANGE.max)
}

const TYPE_NOUNS = { string: 'strings', number: 'numbers', boolean: 'booleans', fraction: 'fractions' } as const

/** Types of values that a target converts to the type of the parameter. */
type ConvertedType = keyof typeof TYPE_NOUNS

/** The target converts values of another type, such as `"1"`, instead of rejecting them. */
export const COERCED_VALUES: DifferenceKind<readonly ConvertedType[]> = {
  text: (types) => `${types.map((type) => TYPE_NOUNS[type]).join(', ')} of another type are converted`,
  replaceStatuses(types, { operation, difference, statuses }) {
    const type = findOtherType(operation, difference)
    return type !== undefined && types.includes(type) ? [...statuses, '2xx'] : statuses
  },
  detect(outcome, operation) {
    const type = findOtherType(operation, findServed(outcome))
    return type === undefined ? undefined : [type]
  },
}

/** Returns the type of a value that is not of the type of its parameter, if a program can convert it. */
function findOtherType(operation: Operation, difference: RequestDifference | undefined): ConvertedType | undefined {
  if (operation === 'models' || difference === undefined) return undefined
  if (!('parameter' in difference && 'value' in difference)) return undefined
  const { parameter, value } = difference
  const rows: readonly { readonly name: string; readonly type: string }[] = PARAMETERS[operation]
  const type = rows.find(({ name }) => name === parameter)?.type
  const given = typeof value
  if (type === 'integer' && typeof value === 'number') return Number.isInteger(value) ? undefined : 'fraction'
  // An empty string is no number.
  const isConvertible = type !== undefined && type !== 'array' && type !== given && value !== ''
  return isConvertible && (given === 'string' || given === 'number' || given === 'boolean') ? given : undefined
}
