import { type Operation, PARAMETERS } from '../../contract/facts.ts'
import { type DifferenceKind, isServedResult } from './difference-kind.ts'

/** Types of values that a target converts to the type of the parameter. */
export type ConvertedType = 'string' | 'number' | 'boolean' | 'fraction'

/** The target converts values of another type, such as `"1"`, instead of rejecting them. */
export const COERCED_VALUES: DifferenceKind<readonly ConvertedType[]> = {
  text: (types) => `${types.map((type) => TYPE_NOUNS[type]).join(', ')} of another type are converted`,
  replaceStatuses(types, { operation, difference, statuses }) {
    const type = 'parameter' in difference && 'value' in difference ? findOtherType(operation, difference) : undefined
    return type !== undefined && types.includes(type) ? [...statuses, '2xx'] : statuses
  },
  detect({ verdict, code, params, difference }, operation) {
    const isServed = verdict === 'fail' && code === 'unexpected-status' && isServedResult(params)
    if (!isServed || difference === undefined || !('parameter' in difference && 'value' in difference)) return undefined
    const type = findOtherType(operation, difference)
    return type === undefined ? undefined : [type]
  },
}

const TYPE_NOUNS: Readonly<Record<ConvertedType, string>> = {
  string: 'strings',
  number: 'numbers',
  boolean: 'booleans',
  fraction: 'fractions',
}

/** Returns the type of a value that is not of the type of its parameter, if a program can convert it. */
function findOtherType(
  operation: Operation,
  { parameter, value }: { readonly parameter: string; readonly value: unknown },
): ConvertedType | undefined {
  if (operation === 'models') return undefined
  const rows: readonly { readonly name: string; readonly type: string }[] = PARAMETERS[operation]
  const type = rows.find(({ name }) => name === parameter)?.type
  if (type === undefined) return undefined
  if (type === 'integer' && typeof value === 'number') return Number.isInteger(value) ? undefined : 'fraction'
  // An empty string is no number.
  if (typeof value === 'string') return type === 'string' || type === 'array' || value === '' ? undefined : 'string'
  if (typeof value === 'number') return type === 'number' || type === 'array' ? undefined : 'number'
  if (typeof value === 'boolean') return type === 'boolean' || type === 'array' ? undefined : 'boolean'
  return undefined
}
