import { hasInvalidUtf8 } from '../../http/invalid-utf8.ts'
import { hasLargeBody } from '../../http/large-body.ts'
import type { CheckFinding, PossibleCause } from './finding.ts'
import { describeEndpoint, formatList, formatResponseNoun, listOperations } from './title-parts.ts'

/** Returns the possible cause that requests with an unusual body break down on every operation. */
export function findBodyCauses(finding: CheckFinding, label: string): PossibleCause[] {
  return [
    ...(isAboutLargeBody(finding) ? [createBodyCause('a body of 2 MB', label)] : []),
    ...(isAboutInvalidUtf8(finding) ? [createBodyCause('invalid UTF-8', label)] : []),
  ]
}

function isAboutInvalidUtf8({ outcome }: CheckFinding): boolean {
  if (outcome.code === 'requests-broke-down') return outcome.params.by.every(({ invalidUtf8 }) => invalidUtf8 === true)
  const request = outcome.code === 'request-broke-down' ? outcome.exchange?.request : undefined
  return request !== undefined && hasInvalidUtf8(request)
}

/** Returns whether a finding concerns only requests with a large body. */
function isAboutLargeBody({ outcome }: CheckFinding): boolean {
  if (outcome.code === 'requests-broke-down') return outcome.params.by.every(({ largeBody }) => largeBody === true)
  return (
    outcome.code === 'request-broke-down' && outcome.exchange !== undefined && hasLargeBody(outcome.exchange.request)
  )
}

function createBodyCause(body: string, label: string): PossibleCause {
  return {
    key: `${body} ${label}`,
    title: (members) => {
      const operations = listOperations(members)
      const get = operations.length === 1 ? 'gets' : 'get'
      return `Requests with ${body} break down: ${formatList(operations.map(describeEndpoint))} ${get} ${formatResponseNoun(label)}`
    },
  }
}
