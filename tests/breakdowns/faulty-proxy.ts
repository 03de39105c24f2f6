import { createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a client sees instead of the response: a status, or a connection reset. */
export type Fault = number | 'reset'

/** A proxy on loopback that forwards requests as they come, but for some of them. */
export interface FaultyProxy extends AsyncDisposable {
  readonly url: string
  /** Number of requests so far. */
  readonly requests: number
}

/** Answers in the place of a service, or ends the connection. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Sends this fault. */
export function respondWith(fault: Fault): Answer {
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
 * @param choose returns what answers the request with this position, from 1; undefined to forward it
 */
export async function startFaultyProxy(
  upstreamUrl: string,
  choose: (position: number, request: IncomingMessage) => Answer | undefined,
): Promise<FaultyProxy> {
  let requests = 0
  const server = createServer((incoming, response) => {
    requests += 1
    const answer = choose(requests, incoming)
    if (answer === undefined) {
      forward(upstreamUrl, incoming, response)
    } else {
      // The body is read first, so that the fault is not a matter of time.
      incoming.resume().on('end', () => answer(incoming, response))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // A string only for a listener on a pipe.
  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return requests
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function forward(upstreamUrl: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = incoming
  const outgoing = sendRequest(upstreamUrl + url, { method, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  outgoing.on('error', () => response.destroy())
  response.on('close', () => outgoing.destroy())
  incoming.pipe(outgoing)
}
