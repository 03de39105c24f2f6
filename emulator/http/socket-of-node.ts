import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Node's own server goes by this field: there is no public one. */
type SocketOfNode = Duplex & { readonly _httpMessage?: ServerResponse | null }

/** The answer whose turn it is on a connection; undefined: no request waits for one. */
export function answerOn(socket: Duplex): ServerResponse | undefined {
  return (socket as SocketOfNode)._httpMessage ?? undefined // oxlint-disable-line no-underscore-dangle -- it is what Node calls it
}

/** Whether all of an answer is written and not all of it sent. */
export function isEndingAnswer(socket: Duplex): boolean {
  return answerOn(socket)?.writableEnded === true
}
