import type { IncomingMessage, ServerResponse } from 'node:http'
import { forwardRequest, type LocalServer, serveHttp } from '../../common/testing/local-server.ts'

/** Starts a server that serves the list of models. It passes every other request below `/v1/` to `respond`. */
export function startLoadTarget(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LocalServer> {
  return serveHttp((incoming, response) => {
    if (incoming.url === '/v1/models')
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data": []}')
    else if (incoming.url?.startsWith('/v1/') === true) respond(incoming, response)
    else response.writeHead(404).end()
  })
}

/** Starts a gateway in front of an emulator. The gateway blocks the control API, as an external service would. */
export function startEmulatorGateway(upstream: string): Promise<LocalServer> {
  return serveHttp((incoming, response) => {
    if (incoming.url?.startsWith('/v1/') === true) forwardRequest(upstream, incoming, response)
    else response.writeHead(404).end()
  })
}
