import type { Exchange } from '../http/exchange.ts'
import { parseJson } from '../http/decode-body.ts'
import type { TimedOperation } from '../latency/latency-samples.ts'
import type { FormFields } from '../requests/api-request.ts'
import type { RequestKind } from '../requests/classify-request.ts'

/** Maximum number of requests in the list of suspects. */
const MAX_SUSPECTS = 12
/**
 * Maximum time between the end of a request and a lost connection at which the request is a suspect, in milliseconds. A
 * service may crash after it has responded, and other responses may arrive between the crash and the first refused
 * connection.
 */
const RECENT_MS = 1000

export interface RequestInFlight {
  /** ID of the check, or name of the step. */
  readonly source: string
  readonly method: string
  readonly path: string
  readonly operation: TimedOperation | undefined
  readonly kind: RequestKind
  /** Whether the request has the funded key. */
  readonly hasFundedKey: boolean
  readonly form?: FormFields | undefined
}

interface RecentRequest {
  readonly request: RequestInFlight
  readonly endedAtMs: number
}

/** A request that has ended, without its response, which may be large. */
type EndedRequest = Pick<Exchange, 'request' | 'status' | 'error'>

/** A request that may have stopped the target. */
export interface Suspect {
  readonly request: RequestInFlight
  /** Whether the request got a response before the target stopped responding. */
  readonly isCompleted: boolean
  /** Undefined while the request is in flight. */
  readonly exchange?: EndedRequest
}

type FoundRequest = Pick<Suspect, 'request' | 'isCompleted'>

/** Finds the requests that may have stopped the target. */
export class CrashSuspects {
  readonly #nowMs: () => number
  readonly #inFlight = new Set<RequestInFlight>()
  /** Requests in flight when the target stopped responding, and those that ended shortly before. The latest come first. */
  #found: readonly FoundRequest[] = []
  /** Requests that ended within the last second, and always the last one. */
  #recent: readonly RecentRequest[] = []
  readonly #exchanges = new WeakMap<RequestInFlight, EndedRequest>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  begin(request: RequestInFlight): void {
    this.#inFlight.add(request)
  }

  end(request: RequestInFlight, { request: sent, status, error }: Exchange): void {
    const endedAtMs = this.#nowMs()
    this.#inFlight.delete(request)
    this.#exchanges.set(request, { request: sent, status, ...(error === undefined ? {} : { error }) })
    this.#recent = [...this.#recent, { request, endedAtMs }]
    this.#forgetEarlier(endedAtMs)
  }

  /**
   * Suspects the current requests instead of earlier ones. A response that was already on its way may arrive after the
   * connection of the request that crashed the service is lost, so requests that ended a moment ago count as well.
   */
  suspectCurrent(): void {
    this.#forgetEarlier(this.#nowMs())
    const recent = this.#recent.map(({ request }) => {
      const isCompleted = (this.#exchanges.get(request)?.status ?? 0) > 0
      return { request, isCompleted }
    })
    const inFlight = [...this.#inFlight].map((request) => ({ request, isCompleted: false }))
    this.#found = [...recent, ...inFlight].toReversed()
  }

  /** Lists the suspects, starting with the most likely one. */
  list(): readonly Suspect[] {
    // A request whose connection was refused never reached the service, so it is no suspect.
    return this.#found
      .filter(({ request }) => this.#exchanges.get(request)?.error?.kind !== 'refused')
      .toSorted((a, b) => rankSuspect(a) - rankSuspect(b) || this.#rankBody(a) - this.#rankBody(b))
      .slice(0, MAX_SUSPECTS)
      .map((found) => {
        const exchange = this.#exchanges.get(found.request)
        return exchange === undefined ? found : { ...found, exchange }
      })
  }

  #forgetEarlier(nowMs: number): void {
    const last = this.#recent.at(-1)
    this.#recent = this.#recent.filter((one) => one === last || one.endedAtMs >= nowMs - RECENT_MS)
  }

  #rankBody({ request }: FoundRequest): number {
    return request.form === undefined ? rankBody(this.#exchanges.get(request)?.request.body) : 2
  }
}

/**
 * Ranks a request body by how likely it is to crash a service; 0 is most likely. Many services read a member of the
 * body without a check that it is an object.
 */
function rankBody(body: Uint8Array | undefined): number {
  const text = Buffer.from(body ?? []).toString('utf8')
  const json = parseJson(text)
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  if (json !== undefined && !isObject) return 0
  return json === undefined && text !== '' ? 1 : 2
}

/**
 * Ranks a request by how likely it is to have crashed the service; 0 is most likely. Requests in flight come before
 * completed ones. Within both, the order is: an invalid request with a valid key, an unspecified request with a valid
 * key, any other invalid or unspecified request, a valid request.
 */
function rankSuspect({ request: { kind, hasFundedKey }, isCompleted }: FoundRequest): number {
  const rank = kind === 'valid' ? 3 : !hasFundedKey ? 2 : kind === 'invalid' ? 0 : 1
  return isCompleted ? rank + 4 : rank
}
