import type { Operation } from '../../../contract/facts.ts'
import { parseJson } from '../../http/decode-body.ts'
import { createPossibleCause, type CheckFinding, type PossibleCause } from './finding.ts'
import { getMember } from './title-parts.ts'

/** Returns the possible causes of a result that is wrapped in another object, such as `{"code": 0, "data": {…}}`. */
export function findEnvelopeCauses({ entry, operation }: CheckFinding): PossibleCause[] {
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
          `Results are wrapped in another object: they are in its field \`${name}\``,
        ),
      ]
}

/**
 * Returns the name of the property that contains the result of the operation. Returns undefined if there is none, or if
 * the JSON value itself is the result.
 */
function findWrapper(json: unknown, operation: Operation): string | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json) || isResult(json, operation)) return undefined
  return Object.keys(json).find((name) => isResult(getMember(json, name), operation))
}

/** Returns whether a value contains a result of the operation. Always false for speech, which is not JSON. */
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
