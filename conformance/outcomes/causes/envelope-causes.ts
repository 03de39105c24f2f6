import type { Operation } from '../../../contract/facts.ts'
import { parseJson } from '../../http/decode-body.ts'
import { createPossibleCause, type Finding, type PossibleCause } from './finding.ts'
import { getMember } from './title-parts.ts'

/** Causes of a finding about a result that is wrapped in another object, such as `{"code": 0, "data": {…}}`. */
export function findEnvelopeCauses({ entry, operation }: Finding): PossibleCause[] {
  const names = (entry.evidence ?? []).flatMap(({ response }) => {
    if (response === null || response.status < 200 || response.status >= 300) return []
    return findWrapper(parseJson(response.body), operation) ?? []
  })
  const [name] = names
  return name === undefined
    ? []
    : [
        createPossibleCause(
          `envelope ${name}`,
          `Results are wrapped in another object: they are in its member \`${name}\``,
        ),
      ]
}

/** Returns the name of the member that contains the result of the operation, if it is not the object itself. */
function findWrapper(json: unknown, operation: Operation): string | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json) || isResult(json, operation)) return undefined
  return Object.keys(json).find((name) => isResult(getMember(json, name), operation))
}

/** Returns whether a value has the member with the content of a result. Speech is no JSON. */
function isResult(value: unknown, operation: Operation): boolean {
  switch (operation) {
    case 'chat':
      return Array.isArray(getMember(value, 'choices'))
    case 'transcriptions':
      return typeof getMember(value, 'text') === 'string'
    case 'speech':
      return false
    default:
      return Array.isArray(getMember(value, 'data'))
  }
}
