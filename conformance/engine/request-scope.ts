import type { Operation } from '../../contract/facts.ts'
import { ExchangeRecorder } from '../evidence/exchange-recorder.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'

/** Origin of the requests of a scope. */
export interface RequestSource {
  /** Id of a check, or name of a step before or after the checks. */
  readonly name: string
  /** The operation that time-outs count for, or undefined for steps before the checks. */
  readonly operation?: Operation
  /** Whether a check of unspecified behaviour sends the requests. They then never count as invalid. */
  readonly isUnspecified?: boolean
  /** True if no other check may evaluate the responses, or depend on them. */
  readonly isSeparate?: boolean
}

/** The requests of one check or one earlier step, with the obstacle that stopped them, if any. */
export class RequestScope {
  /** Short identifier in the texts of these requests; the same in every run with the same seed. */
  readonly tag: string
  readonly operation: Operation | undefined
  readonly source: RequestSource
  readonly recorder = new ExchangeRecorder()
  /** Number of requests of the check, without retries after a 429. */
  requests = 0
  #obstacle: RunObstacle | undefined

  constructor(tag: string, source: RequestSource) {
    this.tag = tag
    this.operation = source.operation
    this.source = source
  }

  /** First reason why a request could not be sent or got no usable response. */
  get obstacle(): RunObstacle | undefined {
    return this.#obstacle
  }

  stop(obstacle: RunObstacle): void {
    this.#obstacle ??= obstacle
  }
}
