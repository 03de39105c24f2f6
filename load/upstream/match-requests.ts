import type { EventsResult } from '../../scenarios/lib/extension-result.ts'
import type { LoggedRequest } from '../target/emulator-client.ts'

/** A request of the load generator, and the upstream request whose response it received. */
export interface MatchedRequest {
  readonly sent: EventsResult
  /** Undefined if the upstream request is unknown. */
  readonly served: LoggedRequest | undefined
  /** First request that the upstream received for this one, even if it did not succeed. Undefined if it is unknown. */
  readonly forwarded: LoggedRequest | undefined
}

export interface MatchedRequests {
  readonly requests: readonly MatchedRequest[]
  readonly counts: ForwardingCounts
  /** The requests of this run that the upstream received. */
  readonly upstream: readonly LoggedRequest[]
}

/** Counts of the requests that a gateway forwarded, repeated or withheld in a run. */
export interface ForwardingCounts {
  readonly sent: number
  readonly received: number
  /**
   * Whether the gateway forwarded the header `x-client-request-id` of all requests. If not, the nullable counts are null,
   * and `received` includes requests of other clients.
   */
  readonly isIdentified: boolean
  /** Client requests that reached the upstream again after an earlier attempt had ended. */
  readonly retried: number | null
  /** Client requests that reached the upstream again before an earlier attempt had ended. */
  readonly duplicated: number | null
  /** Client requests that never reached the upstream. The gateway responded itself, or not at all. */
  readonly withheld: number | null
  /** Client requests that failed although the upstream responded to them with status 200. */
  readonly lost: number | null
  /** Number of responses that the client had already received for an earlier request, such as from a cache. */
  readonly repeated: number
}

/**
 * Matches the requests of the load generator with those in the upstream emulator's log. Tries the following in this
 * order:
 * - the request ID that the emulator returned, unless another ID contradicts it
 * - the ID in the body of a completion
 * - the ID that the client sent, if exactly one attempt succeeded, and if the body has no ID or the gateway replaces the
 *   IDs of all bodies
 * @param log entries from the time of the run
 * @param prefix prefix of the IDs that the client sent
 */
export function matchRequests(
  lines: readonly EventsResult[],
  log: readonly LoggedRequest[],
  prefix: string,
): MatchedRequests {
  const own = log.filter(({ clientRequestId }) => clientRequestId?.startsWith(prefix) === true)
  const isIdentified = own.length > 0 && !dropsSomeIds(lines, log)
  const upstream = isIdentified ? own : log
  const byClientId = Map.groupBy(own, ({ clientRequestId }) => clientRequestId)
  const byId = new Map(upstream.map((entry) => [entry.id, entry]))
  const byCompletionId = new Map(upstream.map((entry) => [entry.completionId, entry]))
  const keepsIds = lines.some(({ completionId }) => completionId !== undefined && byCompletionId.has(completionId))
  const requests = lines.map((sent) => {
    const attempts = byClientId.get(sent.clientRequestId)
    const served = findServed(sent, { byId, byCompletionId, keepsIds, attempts })
    return { sent, served, forwarded: served ?? attempts?.[0] }
  })
  return { requests, upstream, counts: countForwarding(requests, upstream, isIdentified ? byClientId : undefined) }
}

/** Returns whether the upstream received requests without the client's ID, although it sent the response to one of them. */
function dropsSomeIds(lines: readonly EventsResult[], log: readonly LoggedRequest[]): boolean {
  const completionIds = new Set(lines.flatMap(({ completionId }) => completionId ?? []))
  return log.some(
    ({ clientRequestId, completionId }) =>
      clientRequestId === undefined && completionId !== undefined && completionIds.has(completionId),
  )
}

interface LogIndex {
  readonly byId: ReadonlyMap<string, LoggedRequest>
  readonly byCompletionId: ReadonlyMap<string | undefined, LoggedRequest>
  /** Whether the body of any response has the ID of an upstream completion. */
  readonly keepsIds: boolean
  /** Upstream requests that carry the ID of the client's request. */
  readonly attempts: readonly LoggedRequest[] | undefined
}

function findServed(
  sent: EventsResult,
  { byId, byCompletionId, keepsIds, attempts }: LogIndex,
): LoggedRequest | undefined {
  if (sent.status !== 200) return undefined
  const byHeader = sent.requestId === null ? undefined : byId.get(sent.requestId)
  // A gateway may generate its own request IDs, in the same format as those of the emulator.
  const isOther = (entry: LoggedRequest) =>
    entry.clientRequestId !== undefined && entry.clientRequestId !== sent.clientRequestId
  const hasId = sent.completionId !== undefined && keepsIds
  const isSameCompletion = (entry: LoggedRequest) =>
    !hasId || entry.completionId === undefined || entry.completionId === sent.completionId
  if (byHeader !== undefined && isSameCompletion(byHeader) && (hasId || !isOther(byHeader))) return byHeader
  if (hasId) return byCompletionId.get(sent.completionId)
  const served = attempts?.filter(({ status }) => status === 200) ?? []
  return served.length === 1 ? served[0] : undefined
}

function countForwarding(
  requests: readonly MatchedRequest[],
  upstream: readonly LoggedRequest[],
  attemptsByClientId: ReadonlyMap<string | undefined, readonly LoggedRequest[]> | undefined,
): ForwardingCounts {
  const responses = requests.flatMap(({ served }) => served?.id ?? [])
  const common = {
    sent: requests.length,
    received: upstream.length,
    repeated: responses.length - new Set(responses).size,
  }
  if (attemptsByClientId === undefined) {
    return { ...common, isIdentified: false, retried: null, duplicated: null, withheld: null, lost: null }
  }
  let [retried, duplicated, withheld, lost] = [0, 0, 0, 0]
  for (const { sent } of requests) {
    const attempts = attemptsByClientId.get(sent.clientRequestId) ?? []
    if (attempts.length === 0) withheld += 1
    if (attempts.length > 1) {
      if (haveOverlap(attempts)) duplicated += 1
      else retried += 1
    }
    if (sent.status !== 200 && attempts.some(({ status, clientLeft }) => status === 200 && !clientLeft)) lost += 1
  }
  return { ...common, isIdentified: true, retried, duplicated, withheld, lost }
}

/** Returns whether an attempt started before another one had ended. */
function haveOverlap(attempts: readonly LoggedRequest[]): boolean {
  const inOrder = attempts.toSorted((a, b) => a.atMs - b.atMs)
  return inOrder.some((attempt, index) => {
    const before = inOrder[index - 1]
    return before !== undefined && attempt.atMs < before.atMs + before.totalMs
  })
}
