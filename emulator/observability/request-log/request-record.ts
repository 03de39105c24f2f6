import type { Hash } from 'node:crypto'
import type { ModelId } from '../../../contract/facts.ts'
import type { ApiErrorCode } from '../../core/api-errors.ts'
import type { Credentials } from '../../core/authenticate.ts'
import type { Transported } from '../../core/receive.ts'

/** A longer body is kept as its first and its last bytes, which is enough to tell one request from another. */
export const MAX_KEPT_BYTES = 64 * 1024

/** When something happened. Turns tell what came first where the clock stands still. */
export interface Moment {
  /** On the clock's monotonic scale. */
  readonly atMs: number
  readonly turn: number
}

/**
 * What is known of one request so far: filled in along its way, and read when its answer is over. Stages write to it and
 * never read it, so that nothing of an answer depends on it.
 */
export class Notes {
  readonly requestId: string
  readonly transported: Transported
  readonly credentials: Credentials
  readonly arrived: Moment
  readonly arrivedAtUnixMs: number

  /** Turn in which its connection was opened, which also names that connection; undefined in process. */
  channel: number | undefined = undefined
  /** No request came by that connection before. */
  isFirstOnChannel = false
  /** The request body as far as it was read and may be kept. */
  body: Buffer | undefined = undefined
  /** Bytes of the request body that were read. */
  bytesIn = 0
  /** Set when the body is read only for the record, after a refusal. */
  lateBody: Promise<void> | undefined = undefined
  model: ModelId | undefined = undefined
  usedTokens = 0
  /** Units of 0.0001 credit. */
  chargedUnits = 0
  refused: ApiErrorCode | undefined = undefined
  /** Which fault was put on this request, if any. */
  fault: string | undefined = undefined

  /** Undefined while, and if, no answer was begun. */
  status: number | undefined = undefined
  /** What the client was told to wait before it comes back. */
  toldToWaitMs: number | undefined = undefined
  isStream = false
  bytesOut = 0
  /** The first bytes of the response body, where bodies are kept. */
  responseHead: Buffer[] = []
  /** Takes the response body in, where its digest is kept. */
  responseHash: Hash | undefined = undefined
  firstWriteAtMs: number | undefined = undefined
  ended: Moment | undefined = undefined
  /** The client went away before its answer was over. */
  hasClientLeft = false
  /** The emulator broke the connection off. */
  isBrokenOff = false

  constructor(
    requestId: string,
    transported: Transported,
    credentials: Credentials,
    arrived: Moment,
    arrivedAtUnixMs: number,
  ) {
    this.requestId = requestId
    this.transported = transported
    this.credentials = credentials
    this.arrived = arrived
    this.arrivedAtUnixMs = arrivedAtUnixMs
  }

  /** Takes note of the request body; undefined: it was too large to be read. */
  keepBody(body: Buffer | undefined): void {
    if (body === undefined) return
    this.bytesIn = body.length
    const half = MAX_KEPT_BYTES / 2
    this.body =
      body.length <= MAX_KEPT_BYTES ? body : Buffer.concat([body.subarray(0, half), body.subarray(body.length - half)])
  }
}
