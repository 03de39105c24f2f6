import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Sends a response to the suite instead of the response of the upstream. */
export type Respond = (response: ServerResponse) => void

/**
 * Chooses how to respond to a request by its content and by the status of the upstream. Returns undefined to pass on the
 * response of the upstream.
 */
export type ChooseResponse = (request: ReceivedRequest, status: number) => Respond | undefined

/** A proxy on the loopback interface that records the requests that it receives. */
export interface RecordingProxy extends AsyncDisposable {
  readonly url: string
  /** Lists the requests so far, sorted. */
  listRequests(): readonly string[]
}

/**
 * Starts a proxy that delays each response.
 * @param nextDelayMs returns the delay of the next response, in milliseconds
 */
export async function startRecordingProxy(
  upstreamUrl: string,
  choose: ChooseResponse,
  nextDelayMs: () => number,
): Promise<RecordingProxy> {
  const received: string[] = []
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { method = '', url = '', headers } = incoming
    const request = { method, path: url, headers, body: Buffer.concat(chunks) }
    received.push(describeRequest(request))
    await sleep(nextDelayMs())
    forward(upstreamUrl, request, response, choose)
  }
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // The cast is safe: `address()` returns a string only for a server on a pipe.
  return {
    url: `http://127.0.0.1:${port}`,
    listRequests: () => received.toSorted(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Describes a request by its method, path, key, the start of its body, and a digest of its headers and body. */
function describeRequest({ method, path, headers, body }: ReceivedRequest): string {
  const { host: _host, connection: _connection, ...others } = headers
  const digest = createHash('sha256')
    .update(JSON.stringify(Object.entries(others).toSorted()))
    .update(body)
  const key = headers.authorization ?? 'without a key'
  return `${method} ${path} ${key} ${digest.digest('hex').slice(0, 12)} ${body.toString('utf8').slice(0, 160)}`
}

function forward(
  upstreamUrl: string,
  request: ReceivedRequest,
  response: ServerResponse,
  choose: ChooseResponse,
): void {
  const { method, path, headers, body } = request
  const outgoing = sendRequest(upstreamUrl + path, { method, headers, agent: false }, (result) => {
    const status = result.statusCode ?? 0
    const respond = choose(request, status)
    if (respond !== undefined) {
      result.resume()
      respond(response)
      return
    }
    response.writeHead(status, result.rawHeaders)
    result.pipe(response)
    result.on('error', () => response.destroy())
  })
  outgoing.on('error', () => response.destroy())
  response.on('close', () => outgoing.destroy())
  outgoing.end(body)
}
