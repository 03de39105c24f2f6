import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/*
 * Undocumented parts of Node's HTTP server that the emulator uses: three fields of its sockets, the head of its
 * responses, and the listeners that the server adds to itself. The tests of `fast-path/`, `one-connection` and the protocol errors fail if a Node version
 * changes these parts.
 */

/** A socket of Node's HTTP server, with the fields that Node adds. */
type HttpSocket = Duplex & {
  readonly _httpMessage?: ServerResponse | null
  _paused?: boolean
  readonly parser?: { readonly incoming: IncomingMessage | null; resume(): void } | null
}

/** Returns the response in progress on a connection, or undefined if no request is waiting for a response. */
export function getCurrentResponse(socket: Duplex): ServerResponse | undefined {
  return (socket as HttpSocket)._httpMessage ?? undefined // oxlint-disable-line no-underscore-dangle -- Node's name
}

/** Returns true if a request has started to arrive and its body is incomplete. */
export function isReceivingBody(socket: Duplex): boolean {
  return (socket as HttpSocket).parser?.incoming?.complete === false
}

/** Returns true if the current response is completely written, but not all of it has been sent. */
export function isFlushingResponse(socket: Duplex): boolean {
  return getCurrentResponse(socket)?.writableEnded === true
}

/** Returns the status line and header fields of a response after `writeHead`, as Node would send them. */
export function getUnsentHead(response: ServerResponse): string {
  const { _header: head } = response as ServerResponse & { readonly _header?: string | null }
  if (typeof head !== 'string') throw new Error('the head of this response has not been written')
  return head
}

/** Stops reading requests from a connection. Without `_paused`, Node would resume the socket after every request. */
export function pauseReading(socket: Duplex): void {
  const httpSocket: HttpSocket = socket
  httpSocket._paused = true // oxlint-disable-line no-underscore-dangle -- Node's name
  socket.pause()
}

/** Continues reading requests from a connection, as Node does when a client has read its responses. */
export function resumeReading(socket: Duplex): void {
  const httpSocket: HttpSocket = socket
  httpSocket._paused = false // oxlint-disable-line no-underscore-dangle -- Node's name
  httpSocket.parser?.resume()
  socket.resume()
}

/**
 * Removes the listener through which Node's HTTP server accepts connections. The server must be new, because the
 * function removes the first listener.
 * @returns a function that passes a connection to the removed listener
 */
export function detachConnectionListener(server: Server): (socket: Socket) => void {
  const [listener] = server.listeners('connection') as ((socket: Socket) => void)[]
  if (listener === undefined) throw new Error('the connections of this server are not handled by node:http')
  server.off('connection', listener)
  return (socket) => listener.call(server, socket)
}

/**
 * Removes Fastify's listener for parsed requests.
 * @returns a function that calls the removed listeners
 */
export function detachRequestListeners(server: Server): (request: IncomingMessage, response: ServerResponse) => void {
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  return (request, response) => listeners.forEach((listener) => void listener.call(server, request, response))
}
