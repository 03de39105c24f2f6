import { createParameterError, type ApiError } from '../core/api-errors.ts'
import type { RequestFields } from '../operations/operation.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'

/** Maximum number of listed fields, and maximum length of a name. */
const MAX_LISTED = { fields: 50, characters: 100 } as const

/** A row of the parameter table of an extension. */
interface Row {
  readonly name: string
  /** True if the parameter does not change the response. */
  readonly isIgnored?: true
}

/**
 * Returns the names of the fields that have no effect, for the request log.
 * @returns an error for a field that the table does not contain, if the option `unknown-fields` refuses it
 */
export function findIgnoredFields(
  table: readonly Row[],
  { values }: RequestFields,
  behaviour: BehaviourOptions,
): readonly string[] | ApiError {
  const ignored: string[] = []
  for (const [name, value] of Object.entries(values)) {
    const row = table.find((one) => one.name === name)
    if (row === undefined && behaviour['unknown-fields'] === 'refused' && name !== behaviour['quality-parameter']) {
      return createParameterError(name, `There is no parameter '${name}'.`)
    }
    const hasEffect = row !== undefined && row.isIgnored !== true
    if (!hasEffect && value !== null && ignored.length < MAX_LISTED.fields) {
      ignored.push(name.slice(0, MAX_LISTED.characters))
    }
  }
  return ignored
}
