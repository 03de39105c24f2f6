import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Node's own server goes by these fields: there are no public ones. */
type SocketOfNode = Duplex & {
  readonly _httpMessage?: ServerResponse | null
  readonly parser?: { readonly incoming: IncomingMessage | null } | null
}

/** The answer whose turn it is on a connection; undefined: no request waits for one. */
export function answerOn(socket: Duplex): ServerResponse | undefined {
  return (socket as SocketOfNode)._httpMessage ?? undefined // oxlint-disable-line no-underscore-dangle -- it is what Node calls it
}

/** Whether a request is there whose body is not all there. */
export function isReceivingBody(socket: Duplex): boolean {
  return (socket as SocketOfNode).parser?.incoming?.complete === false
}

/** Whether all of an answer is written and not all of it sent. */
export function isEndingAnswer(socket: Duplex): boolean {
  return answerOn(socket)?.writableEnded === true
}
