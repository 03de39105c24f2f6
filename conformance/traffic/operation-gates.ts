import type { Exchange } from '../http/exchange.ts'
import { parseRetryAfterMs } from '../http/retry-after.ts'
import { hasServerError } from '../http/stream-error.ts'
import { findTimedOperation, type TimedOperation } from '../latency/latency-samples.ts'
import { getResponseParams, isServed } from '../findings/expect.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import { findOperationByPath } from '../requests/classify-request.ts'
import { CONTROL_PAUSES_MS } from './policy.ts'

/** Requests that the engine does not send if their control request breaks down. */
export type Gate = TimedOperation | 'invalid-key'

/** The control request of a gate, with its last response. */
export interface Control {
  readonly request: ApiRequest
  readonly response: Exchange
}

/** A control request to which the target responded, with the duration of the response in milliseconds. */
export interface ServedControl {
  readonly request: ApiRequest
  readonly totalMs: number
  /** Whether the target served it. Otherwise, it returned an error. */
  readonly isServed: boolean
}

export interface GateOptions {
  /** Sends the control request of a gate, if there is one. Reuses its response, unless it is sent again. */
  sendControl(gate: Gate, isAgain: boolean): Promise<Control | undefined>
  pause(ms: number): Promise<void>
}

/**
 * Decides once for each operation whether the run sends requests to it. Before the first request, the gate sends the
 * control request of the operation. If it breaks down three times, each time with its repeat, or only gets 429s, the
 * operation is closed for the rest of the run, because further requests would only repeat the finding. Streams are a
 * separate operation. Requests with an invalid key, or without one, have a gate of their own, which closes after 429s.
 *
 * The decision depends only on these responses, so the order of the checks has no effect.
 */
export class OperationGates {
  readonly #options: GateOptions
  readonly #decisions = new Map<Gate, Promise<void>>()
  // Without the response, which may be large.
  readonly #controls = new Map<Gate, ServedControl>()
  readonly #closed = new Map<Gate, RunObstacle>()

  constructor(options: GateOptions) {
    this.#options = options
  }

  /** Waits until it is decided whether the run sends requests like this one. */
  async decide(request: ApiRequest): Promise<void> {
    for (const gate of listGates(request)) {
      if (this.obstacle(request) !== undefined) return
      const decision = this.#decisions.get(gate) ?? this.#decide(gate)
      this.#decisions.set(gate, decision)
      await decision
    }
  }

  /** Returns why the run sends no requests like this one, or undefined if it does. */
  obstacle(request: ApiRequest): RunObstacle | undefined {
    const own = findTimedOperation(request)
    return listGates(request)
      .filter(
        (gate) => gate === own || gate === 'invalid-key' || this.#closed.get(gate)?.code === 'operation-timed-out',
      )
      .map((gate) => this.#closed.get(gate))
      .find((obstacle) => obstacle !== undefined)
  }

  /** Closes an operation for the rest of the run. */
  close(operation: TimedOperation, response: Exchange): void {
    this.closeBecause(operation, createOutage(operation, response))
  }

  closeBecause(operation: TimedOperation, obstacle: RunObstacle): void {
    this.#closed.set(operation, obstacle)
  }

  /** Returns the control request of an operation, if the target responded to it when the operation was decided. */
  findControl(operation: TimedOperation): ServedControl | undefined {
    return this.#controls.get(operation)
  }

  /** Returns whether the target served the control request of the operation. Returns undefined if it is not decided. */
  isControlServed(request: ApiRequest): boolean | undefined {
    const operation = findTimedOperation(request)
    return operation === undefined ? undefined : this.findControl(operation)?.isServed
  }

  async #decide(gate: Gate): Promise<void> {
    let control = await this.#options.sendControl(gate, false)
    for (const pauseMs of CONTROL_PAUSES_MS) {
      // A timeout has already taken long, so the request is not sent again.
      if (control === undefined || !hasServerError(control.response) || control.response.error?.kind === 'timeout')
        break
      await this.#options.pause(pauseMs)
      control = await this.#options.sendControl(gate, true)
    }
    if (control === undefined) return
    const isLimited = control.response.status === 429
    if (gate === 'invalid-key') {
      if (isLimited) this.#closed.set(gate, { code: 'invalid-keys-rate-limited', params: {} })
    } else if (isLimited || hasServerError(control.response)) this.close(gate, control.response)
    else {
      const { request, response } = control
      this.#controls.set(gate, { request, totalMs: response.totalMs, isServed: isServed(response) })
    }
  }
}

/** Lists the gates of a request. That of the path closes streams and other methods only after a timeout. */
function listGates(request: ApiRequest): readonly Gate[] {
  const ofPath = findOperationByPath(request.path)
  const own = findTimedOperation(request)
  return [
    ...(ofPath === undefined ? [] : [ofPath]),
    ...(own === undefined || own === ofPath ? [] : [own]),
    ...(request.key === 'none' || request.key === 'invalid' ? (['invalid-key'] as const) : []),
  ]
}

/** Describes why an operation is closed by the last response to its control request. */
function createOutage(timed: TimedOperation, response: Exchange): RunObstacle {
  const isStream = timed === 'chat-stream'
  const of = { operation: isStream ? 'chat' : timed, ...(isStream ? { isStream } : {}) } as const
  if (response.error?.kind === 'timeout') {
    return { code: 'operation-timed-out', params: { ...of, timeoutMs: Math.round(response.totalMs) } }
  }
  if (response.status === 429) {
    return { code: 'rate-limited', params: { retryAfterMs: parseRetryAfterMs(response.headers) ?? 0 } }
  }
  return { code: 'operation-broke-down', params: { ...of, ...getResponseParams(response) } }
}
