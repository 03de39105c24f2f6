import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Announces the last response of each connection while the server closes, so that clients open a new connection for the
 * next request. Announces nothing on a response that pipelined requests wait behind: Node would drop those requests.
 */
export class ConnectionCloser {
  readonly #server: Server
  /** The last pipelined request of each connection that arrived before the previous response was complete. */
  readonly #lastQueued = new WeakMap<Socket, ServerResponse>()
  readonly #told = new WeakSet<Socket>()

  constructor(server: Server) {
    this.#server = server
  }

  /**
   * Records a request.
   * @returns false if its connection has already announced its last response: no response could be delivered
   */
  expect(response: ServerResponse): boolean {
    const { socket } = response.req
    if (response.socket === null) this.#lastQueued.set(socket, response)
    return !this.#told.has(socket)
  }

  /** Adds `connection: close` to the header fields of a starting response, if it is the last of its connection. */
  readonly say = (response: ServerResponse): void => {
    if (this.#server.listening) return
    const { socket } = response.req
    const lastQueued = this.#lastQueued.get(socket)
    if (lastQueued !== undefined && lastQueued !== response && !lastQueued.writableFinished) return
    this.#told.add(socket)
    response.setHeader('connection', 'close')
  }
}
