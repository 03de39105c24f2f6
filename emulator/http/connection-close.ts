import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Tells clients, while the server closes, which answer is the last of their connection, so that they make the next request
 * elsewhere. An answer behind which others wait does not say so: Node would drop those.
 */
export class ConnectionCloser {
  readonly #server: Server
  /** The last request of each connection that came before its turn. */
  readonly #lastQueued = new WeakMap<Socket, ServerResponse>()
  readonly #told = new WeakSet<Socket>()

  constructor(server: Server) {
    this.#server = server
  }

  /** Takes note of a request. @returns false where its connection was told to be over: nobody would get the answer */
  expect(response: ServerResponse): boolean {
    const { socket } = response.req
    if (response.socket === null) this.#lastQueued.set(socket, response)
    return !this.#told.has(socket)
  }

  /** Says it in the header fields of an answer that begins, where it is to be said. */
  readonly say = (response: ServerResponse): void => {
    if (this.#server.listening) return
    const { socket } = response.req
    const lastQueued = this.#lastQueued.get(socket)
    if (lastQueued !== undefined && lastQueued !== response && !lastQueued.writableFinished) return
    this.#told.add(socket)
    response.setHeader('connection', 'close')
  }
}
