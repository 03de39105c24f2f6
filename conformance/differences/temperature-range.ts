import { TEMPERATURE_RANGE } from '../../contract/facts.ts'
import type { RequestDifference } from '../findings/request-difference.ts'
import { type DifferenceKind, isServedResult } from './difference-kind.ts'

/** The target serves temperatures outside the range of section 4.2. */
export const TEMPERATURE_RANGE_DIFFERENCE: DifferenceKind<'unlimited'> = {
  text: () => 'temperature is not limited',
  replaceStatuses: (_value, { difference, statuses }) => (isOutsideRange(difference) ? ['2xx'] : statuses),
  detect({ verdict, code, params, difference }) {
    const isServed = verdict === 'fail' && code === 'unexpected-status' && isServedResult(params)
    return isServed && difference !== undefined && isOutsideRange(difference) ? 'unlimited' : undefined
  },
}

function isOutsideRange(difference: RequestDifference): boolean {
  if (!('parameter' in difference) || difference.parameter !== 'temperature' || !('value' in difference)) return false
  const { value } = difference
  return typeof value === 'number' && (value < TEMPERATURE_RANGE.min || value > TEMPERATURE_RANGE.max)
}
