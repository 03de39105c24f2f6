import { bodyOf, headersOf, statusOf, type Refusal } from '../refusals.ts'
import type { Generated } from './generate.ts'
import { settle } from './settle.ts'

/** What a transport has to send. */
export type Reply = WholeReply | StreamedReply

/** An answer that is there at once. */
export interface WholeReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | string
}

/** A server-sent-event stream. The transport calls `end` exactly once, however the stream ends. */
export interface StreamedReply {
  readonly status: 200
  readonly headers: Readonly<Record<string, string>>
  readonly frameCount: number
  frame(index: number): string
  /** Settles the bill: `framesSent` frames were handed to the socket before the stream ended or the client left. */
  end(framesSent: number): void
}

const JSON_TYPE = 'application/json'

/** Turns the answer into what the transport sends. A whole answer is settled here, a stream when it ends. */
export function respond(request: Generated): Reply {
  const { answer } = request
  if ('body' in answer) {
    settle(request, answer.usedTokens)
    return { status: 200, headers: { 'content-type': answer.contentType }, body: answer.body }
  }
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    frameCount: answer.frameCount,
    frame: answer.frame,
    end: (framesSent) => settle(request, answer.usedTokensAfter(framesSent)),
  }
}

/** The reply to a request that leaves at one of the stages. */
export function respondRefusal(refusal: Refusal): WholeReply {
  const headers = { 'content-type': JSON_TYPE, ...headersOf(refusal) }
  return { status: statusOf(refusal), headers, body: bodyOf(refusal) }
}
