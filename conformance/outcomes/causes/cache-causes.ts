import type { CheckEntry } from '../../../reports/conformance-document.ts'
import type { CheckFinding, PossibleCause } from './finding.ts'

/** Minimum number of different request IDs in a run. A target with fewer may send the same one with every response. */
const MIN_REQUEST_IDS = 3

/** Returns whether the target sends a request ID of its own with each response, so that an ID identifies a response. */
export function hasRequestIds(all: readonly CheckFinding[]): boolean {
  return new Set(all.flatMap(({ entry }) => listRequestIds(entry))).size >= MIN_REQUEST_IDS
}

/**
 * Returns the possible cause that a cache between client and service sent the response to an earlier request. Returns an
 * empty array if each 2xx response of the check has a request ID of its own.
 */
export function findCacheCauses({ entry }: CheckFinding, run: { readonly hasRequestIds: boolean }): PossibleCause[] {
  const ids = listRequestIds(entry)
  return run.hasRequestIds && new Set(ids).size < ids.length ? [STORED_RESPONSE] : []
}

const STORED_RESPONSE: PossibleCause = {
  key: 'stored response',
  title: (members) => {
    const isOfKey = ({ outcome: { difference } }: CheckFinding): boolean =>
      difference !== undefined && ('credential' in difference || 'account' in difference)
    const ofKeys = members.filter(isOfKey).length
    const ignored = [
      ...(ofKeys > 0 ? ['the key of a request'] : []),
      ...(ofKeys < members.length ? ['parts of its body'] : []),
    ]
    return `A cache returns stored responses to other requests (with the same x-request-id), because it ignores ${ignored.join(' and ')}`
  },
}

/** Lists the request IDs of the 2xx responses in the evidence. A check can use one response several times. */
function listRequestIds({ evidence = [] }: CheckEntry): string[] {
  const different = new Map(evidence.map((exchange) => [exchange.startedAtMs, exchange]))
  return [...different.values()].flatMap(({ response }) => {
    const isServed = response !== null && response.status >= 200 && response.status < 300
    return isServed ? (response.headers['x-request-id'] ?? []) : []
  })
}
