import type { Operation } from '../../contract/facts.ts'
import { bodyOf, headersOf, statusOf, type Refusal } from '../refusals.ts'
import type { Generated } from './generate.ts'
import { settle } from './settle.ts'

/** What a transport has to send. */
export type Reply = WholeReply | StreamedReply

/** An answer that is there at once, or when `dueMs` have passed since the request came in. */
export interface WholeReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | string
  /** The operation that was served; undefined for a refusal. */
  readonly operation?: Operation
  readonly dueMs: number
}

/** A server-sent-event stream. The transport calls `end` exactly once, however the stream ends. */
export interface StreamedReply {
  readonly status: 200
  readonly headers: Readonly<Record<string, string>>
  readonly operation: Operation
  readonly frameCount: number
  frame(index: number): string
  /** When a frame is due, in milliseconds since the request came in. To be asked in ascending order. */
  frameDueMs(index: number): number
  /** Settles the bill: `framesSent` frames were handed to the socket before the stream ended or the client left. */
  end(framesSent: number): void
}

/** Turns the answer into what the transport sends. A whole answer is settled here, a stream when it ends. */
export function respond(request: Generated): Reply {
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
    frame: answer.frame,
    frameDueMs: (index) => pace.dueMs(answer.tokenOf(index)),
    end: (framesSent) => settle(request, answer.usedTokensAfter(framesSent)),
  }
}

/** The reply to a request that leaves at one of the stages: at once, whatever the latency. */
export function respondRefusal(refusal: Refusal): WholeReply {
  const headers = { 'content-type': 'application/json', ...headersOf(refusal) }
  return { status: statusOf(refusal), headers, body: bodyOf(refusal), dueMs: 0 }
}
