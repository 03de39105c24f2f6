import type { Operation } from '../../contract/facts.ts'
import type { Decisions } from '../options/unspecified-behaviour/decisions.ts'
import type { GeneratedStream } from '../operations/operation.ts'
import { bodyOf, headersOf, statusOf, type ApiError, type ApiErrorCode } from './api-errors.ts'
import type { Clock } from '../state/clock.ts'
import type { ConnectionAbort } from './connection-abort.ts'
import type { Generated } from './generate.ts'
import { settle } from './settle.ts'

/** What a transport has to send. */
export type ApiResponse = WholeResponse | StreamResponse

/** What a fault makes of an answer; both absent on nearly all. */
export interface Disturbed {
  /** ID of the fault that this answer met. */
  readonly fault?: string
  /** The connection is not ended in order. */
  readonly breakOff?: ConnectionAbort
}

/** An answer that is there at once, or when `dueMs` have passed since the request came in. */
export interface WholeResponse extends Disturbed {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | string
  /** The operation that was served; undefined for a refusal. */
  readonly operation?: Operation
  /** Why it was refused. */
  readonly refused?: ApiErrorCode
  readonly dueMs: number
}

/** A server-sent-event stream. The transport calls `end` exactly once, however the stream ends. */
export interface StreamResponse extends Disturbed {
  readonly status: 200
  readonly refused?: undefined
  readonly headers: Readonly<Record<string, string>>
  readonly operation: Operation
  readonly frameCount: number
  /** When header fields are due, likewise; absent: at once, or with the first frame. */
  readonly headDueMs?: number
  /** True sends each byte by itself. */
  readonly isCutToBytes: boolean
  frame(index: number): string
  /** When a frame is due, in milliseconds since the request came in. To be asked in ascending order. */
  frameDueMs(index: number): number
  /** Settles the bill: `framesSent` frames were handed to the socket before the stream ended or the client left. */
  end(framesSent: number): void
}

/** Turns the answer into what the transport sends. A whole answer is settled here, a stream when it ends. */
export function respond(request: Generated, decisions: Decisions): ApiResponse {
  const { answer, pace } = request
  const { operation } = request.work
  if ('body' in answer) {
    settle(request, answer.usedTokens)
    const headers = { 'content-type': answer.contentType }
    return { status: 200, headers, body: answer.body, operation, dueMs: pace.dueMs(answer.lastToken) }
  }
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    operation,
    frameCount: answer.frameCount,
    isCutToBytes: decisions['bytes-per-write'] === 'one',
    frame: answer.frame,
    frameDueMs: (index) => pace.dueMs(answer.tokenIndexOf(index)),
    end: (framesSent) => settle(request, billedTokens(answer, framesSent, decisions['abort-bill'])),
  }
}

/** The tokens that a stream costs: all of them at its end, and what is decided when the client left before. */
function billedTokens(answer: GeneratedStream, framesSent: number, abortBill: Decisions['abort-bill']): number {
  if (framesSent < answer.frameCount && abortBill === 'none') return 0
  return answer.usedTokensAfter(abortBill === 'all' ? answer.frameCount : framesSent)
}

/** How refusals are put. */
export interface ErrorResponseContext {
  readonly decisions: Decisions
  readonly clock: Clock
}

/** The reply to a request that leaves at one of the stages: at once, whatever the latency. */
export function errorResponse(refusal: ApiError, { decisions, clock }: ErrorResponseContext): WholeResponse {
  const { body, contentType } = bodyOf(refusal, decisions)
  const headers = { 'content-type': contentType, ...headersOf(refusal, decisions, clock) }
  return { status: statusOf(refusal), headers, body, refused: refusal.code, dueMs: 0 }
}
