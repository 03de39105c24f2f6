import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Adds `connection: close` to the last response of each connection while the server closes, so that clients open a new
 * connection for the next request. Skips a response if pipelined requests are waiting, because Node would drop them.
 */
export class ConnectionCloser {
  readonly #server: Server
  /**
   * Last pipelined response of each connection, for a request that arrived before the previous response was complete.
   */
  readonly #lastQueued = new WeakMap<Socket, ServerResponse>()
  readonly #announced = new WeakSet<Socket>()

  constructor(server: Server) {
    this.#server = server
  }

  /**
   * Records that a request has arrived.
   * @returns false if the connection can carry no further response, because an earlier response had `connection: close`
   */
  recordRequest(response: ServerResponse): boolean {
    const { socket } = response.req
    if (response.socket === null) this.#lastQueued.set(socket, response)
    return !this.#announced.has(socket)
  }

  /** Adds `connection: close` to the response if the server is closing and no other request waits on the connection. */
  readonly announceClose = (response: ServerResponse): void => {
    if (this.#server.listening) return
    const { socket } = response.req
    const lastQueued = this.#lastQueued.get(socket)
    if (lastQueued !== undefined && lastQueued !== response && !lastQueued.writableFinished) return
    this.#announced.add(socket)
    response.setHeader('connection', 'close')
  }
}
