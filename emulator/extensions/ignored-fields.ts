import { createParameterError, type ApiError } from '../core/api-errors.ts'
import type { RequestFields } from '../operations/operation.ts'
import { addIgnoredField } from '../operations/optional-fields.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'

interface ExtensionParameter {
  readonly name: string
  /** True if the parameter does not change the response. */
  readonly isIgnored?: true
}

/**
 * Returns the names of the fields that have no effect, for the request log.
 * @returns an error for a field that the table does not contain, if the option `unknown-fields` rejects it
 */
export function findIgnoredFields(
  table: readonly ExtensionParameter[],
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
    if (!hasEffect && value !== null) addIgnoredField(ignored, name)
  }
  return ignored
}
