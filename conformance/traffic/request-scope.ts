import type { Operation } from '../../contract/facts.ts'
import { ExchangeRecorder } from '../evidence/exchange-recorder.ts'
import type { Exchange } from '../http/exchange.ts'
import type { MemoryHolder } from '../http/response-memory.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'

/** The check, or the step before or after the checks, that sends requests. */
export interface RequestSource {
  /** ID of the check, or name of the step. */
  readonly name: string
  /** Operation of the check. Undefined for steps before the checks, whose requests the engine always sends. */
  readonly operation?: Operation
  /** Whether the requests belong to a check of unspecified behaviour. Such requests never count as invalid. */
  readonly isUnspecified?: boolean
  /** Whether summary checks must ignore the responses. */
  readonly isSeparate?: boolean
  /** See `CheckDefinition.parameter`. */
  readonly parameter?: string | undefined
  /** Whether the request is the control request of an operation. */
  readonly isControl?: boolean
  /** Whether each request runs while no other request is in flight. */
  readonly isAlone?: boolean
}

/** Receives each exchange that a check or a step uses, with the name of its `RequestSource`. */
export type ExchangeObserver = (source: string, exchange: Exchange) => void

/** Requests of one check or step, with the first obstacle that stopped them. The caller must dispose it. */
export class RequestScope {
  /** Short string in the requests of this scope. It is the same in every run with the same seed. */
  readonly tag: string
  readonly operation: Operation | undefined
  readonly source: RequestSource
  readonly recorder: ExchangeRecorder
  readonly memory: MemoryHolder
  /** Number of requests in this scope. Repeats of a request do not count. */
  requests = 0
  #obstacle: RunObstacle | undefined
  #closed: RunObstacle | undefined

  constructor(tag: string, source: RequestSource, memory: MemoryHolder, onExchange?: ExchangeObserver) {
    this.recorder = new ExchangeRecorder(onExchange && ((exchange) => onExchange(source.name, exchange)))
    this.memory = memory
    this.tag = tag
    this.operation = source.operation
    this.source = source
  }

  /** First reason why the dispatcher could not send a request, or why a request got no usable response. */
  get obstacle(): RunObstacle | undefined {
    return this.#obstacle
  }

  stop(obstacle: RunObstacle): void {
    this.#obstacle ??= obstacle
  }

  /** First reason why requests of one form, such as streams, are not sent or get no usable response. */
  get closedForm(): RunObstacle | undefined {
    return this.#closed
  }

  skipForm(obstacle: RunObstacle): void {
    this.#closed ??= obstacle
  }

  [Symbol.dispose](): void {
    this.memory[Symbol.dispose]()
  }
}
