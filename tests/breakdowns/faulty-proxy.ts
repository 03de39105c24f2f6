import { createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A fault that replaces a response: an HTTP error status, or a connection reset. */
export type InjectedFault = number | 'reset'

/** A proxy on the loopback interface that forwards requests and injects a fault into some of them. */
export interface FaultyProxy extends AsyncDisposable {
  readonly url: string
  readonly requests: number
  /** Closes all connections and refuses new ones, as if the process exited. */
  exit(): Promise<void>
}

/** Responds to a request instead of the upstream. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

export function createFaultHandler(fault: InjectedFault): RequestHandler {
  return (request, response) => {
    if (fault === 'reset') {
      request.socket.resetAndDestroy()
    } else {
      response.writeHead(fault, { 'content-type': 'text/html' }).end('<html>out of order</html>')
    }
  }
}

/**
 * Starts a proxy in front of a service.
 * @param choose returns the handler for a request by its position (from 1), or undefined to forward the request
 */
export async function startFaultyProxy(
  upstreamUrl: string,
  choose: (position: number, request: IncomingMessage, response: ServerResponse) => RequestHandler | undefined,
): Promise<FaultyProxy> {
  let requests = 0
  const server = createServer((incoming, response) => {
    requests += 1
    const respond = choose(requests, incoming, response)
    if (respond === undefined) {
      forward(upstreamUrl, incoming, response)
    } else {
      // Reads the body first, so that the fault occurs after the whole request has arrived.
      incoming.resume().on('end', () => respond(incoming, response))
    }
  })
  const exit = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // The cast is safe: `address()` returns a string only for a server on a pipe.
  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return requests
    },
    exit,
    [Symbol.asyncDispose]: exit,
  }
}

function forward(upstreamUrl: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = incoming
  const outgoing = sendRequest(upstreamUrl + url, { method, headers, agent: false }, (result) => {
    response.writeHead(result.statusCode ?? 0, result.rawHeaders)
    result.pipe(response)
    result.on('error', () => response.destroy())
  })
  outgoing.on('error', () => response.destroy())
  response.on('close', () => outgoing.destroy())
  incoming.pipe(outgoing)
}
