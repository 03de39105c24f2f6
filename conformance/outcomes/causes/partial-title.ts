import { parseJson } from '../../http/decode-body.ts'
import type { RequestDifference } from '../request-difference.ts'
import { describeServedVariant } from '../sentences/responses.ts'
import type { CheckFinding } from './finding.ts'
import { concernsStream, describeEndpoint, formatList, formatResponseNoun, listOperations } from './title-parts.ts'

export function describeResponses(label: string): string {
  return `get ${formatResponseNoun(label)}`
}

/**
 * Formats the title of findings about validation errors if the same operations return 400 for other invalid requests.
 * The title describes the requests for which they do not return 400.
 */
export function partialTitle(members: readonly CheckFinding[], label: string): string {
  const place = formatList(listOperations(members).map(describeEndpoint))
  const [difference, ...others] = members.flatMap(({ outcome }) => outcome.difference ?? [])
  if (difference !== undefined && others.length === 0) {
    const subject = members.every(concernsStream) ? 'A request for a stream' : `A request to ${place}`
    const request = `${subject} ${describeServedVariant(difference)}`
    return label === '2xx'
      ? `${request} is served instead of getting 400`
      : `${request} ${describeResponses(label).replace(/^get /, 'gets ')} instead of 400`
  }
  const what = formatList([...new Set([difference, ...others].map(nameDifference))])
  return label === '2xx'
    ? `Some invalid requests to ${place} are served instead of getting 400 (${what})`
    : `Some validation errors on ${place} ${describeResponses(label)} instead of 400 (${what})`
}

function nameDifference(difference: RequestDifference | undefined): string {
  if (difference !== undefined && 'parameter' in difference) return `\`${difference.parameter}\``
  if (difference === undefined || !('bodyText' in difference)) return 'an unusual body'
  if (difference.bodyText === '') return 'an empty body'
  return parseJson(difference.bodyText) === undefined
    ? 'a body that is not valid JSON'
    : 'a body that is not a JSON object'
}

/** Returns whether all findings concern values of the same parameter. Ignores checks that are not testable. */
export function namesOneParameter(members: readonly CheckFinding[]): boolean {
  const names = new Set(
    members
      .filter(({ entry }) => entry.verdict !== 'not-testable')
      .map(({ outcome: { difference } }) =>
        difference !== undefined && 'parameter' in difference ? difference.parameter : undefined,
      ),
  )
  return names.size === 1 && !names.has(undefined)
}
