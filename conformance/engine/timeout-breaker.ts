import type { Operation } from '../../contract/facts.ts'
import { isStreamingRequest } from '../http/is-streaming-request.ts'
import type { Exchange } from '../http/exchange.ts'
import type { TimedOperation } from '../latency/latency-samples.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import { findOperationByPath } from '../requests/classify-request.ts'

const MAX_TIMEOUTS_IN_A_ROW = 2

/** The last attempt of a request. */
export interface EndedRequest {
  readonly request: Pick<ApiRequest, 'path' | 'body'>
  readonly exchange: Pick<Exchange, 'error' | 'events' | 'totalMs'>
  /** Operation for which a timeout of the request counts. Default: the operation of its path. */
  readonly operation?: Operation | undefined
}

/**
 * Stops requests to an operation after two consecutive timeouts, or after the first one if the operation has never
 * responded. Otherwise, a target that hangs would delay the run by one deadline for each check. Streams count as a
 * separate operation, because a target may generate them differently.
 */
export class TimeoutBreaker {
  readonly #hasResponded: (operation: Operation) => boolean
  readonly #inARow = new Map<TimedOperation, number>()
  readonly #stopped = new Map<TimedOperation, RunObstacle>()
  #hasStreamed = false

  /** @param hasResponded returns whether the target has responded to a request of the operation */
  constructor(hasResponded: (operation: Operation) => boolean) {
    this.#hasResponded = hasResponded
  }

  /** Records how a request ended. A stopped operation remains stopped. */
  record({ request, exchange: { error, events, totalMs }, operation }: EndedRequest): void {
    const timed = timedOperationOf(request)
    const counted = timed === 'chat-stream' ? timed : (operation ?? timed)
    if (counted === undefined || error?.kind === 'interrupted') return
    if (counted === 'chat-stream') this.#hasStreamed ||= events.length > 0
    const inARow = error?.kind === 'timeout' ? (this.#inARow.get(counted) ?? 0) + 1 : 0
    this.#inARow.set(counted, inARow)
    if (inARow === 0 || this.#stopped.has(counted)) return
    const isStream = counted === 'chat-stream'
    const hasResponded = isStream ? this.#hasStreamed : this.#hasResponded(counted)
    if (inARow < (hasResponded ? MAX_TIMEOUTS_IN_A_ROW : 1)) return
    this.#stopped.set(counted, {
      code: 'operation-timed-out',
      params: {
        operation: isStream ? 'chat' : counted,
        ...(isStream ? { isStream } : {}),
        timeoutMs: Math.round(totalMs),
      },
    })
  }

  /** Returns the reason why an operation is stopped. Returns undefined if it is not stopped. */
  obstacle(operation: Operation | undefined): RunObstacle | undefined {
    return operation === undefined ? undefined : this.#stopped.get(operation)
  }

  /** Returns the reason why requests to the operation of `request` are stopped. Returns undefined if they are not. */
  obstacleTo(request: Pick<ApiRequest, 'path' | 'body'>): RunObstacle | undefined {
    const timed = timedOperationOf(request)
    return timed === undefined ? undefined : this.#stopped.get(timed)
  }
}

/** Returns the operation for which a timeout of a request counts. Streams are a separate operation. */
function timedOperationOf(request: Pick<ApiRequest, 'path' | 'body'>): TimedOperation | undefined {
  const operation = findOperationByPath(request.path)
  return operation === 'chat' && isStreamingRequest(request) ? 'chat-stream' : operation
}
