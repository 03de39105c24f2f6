import {
  Agent,
  createServer,
  request as sendRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProxyHooks, ProxiedResponse, ProxiedRequest } from '../mutation/proxy-hooks.ts'

export interface ProxyServer {
  readonly url: string
  close(): Promise<void>
}

/** Hop-by-hop header fields (RFC 9110, section 7.6.1), and `Content-Length`, which a changed body invalidates. */
const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'upgrade', 'te'])

export async function startProxy(upstreamUrl: string, hooks: ProxyHooks): Promise<ProxyServer> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, response) => {
    void handleRequest(incoming).then(
      (changed) => sendResponse(changed, response),
      () => response.destroy(), // Called if the client has disconnected or the emulator has been closed.
    )
  })

  const bodiesInProgress = new Set<Buffer>()
  const firstHeaders = new WeakMap<Socket, Readonly<Record<string, string>>>()

  async function handleRequest(incoming: IncomingMessage): Promise<ProxiedResponse> {
    const { 'transfer-encoding': encoding } = incoming.headers
    const headers = { ...fieldsOf(incoming.headers), ...(encoding && { 'transfer-encoding': encoding }) }
    if (!firstHeaders.has(incoming.socket)) firstHeaders.set(incoming.socket, headers)
    const body = await readAll(incoming)
    const request: ProxiedRequest = {
      method: incoming.method ?? 'GET',
      target: incoming.url ?? '/',
      headers,
      firstHeaders: firstHeaders.get(incoming.socket) ?? headers,
      body,
      parallel: [...bodiesInProgress],
    }
    bodiesInProgress.add(body)
    try {
      const response = await respondTo(request)
      if (response.isWithheld === true) await once(incoming.socket, 'close')
      if (response.delayMs !== undefined) await sleep(response.delayMs)
      return response
    } finally {
      bodiesInProgress.delete(body)
    }
  }

  async function respondTo(request: ProxiedRequest): Promise<ProxiedResponse> {
    const changed = hooks.onRequest?.(request) ?? request
    if ('status' in changed) return changed
    const response = await forward(upstreamUrl, changed, agent)
    return hooks.onResponse?.(response, request) ?? response
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // `address()` returns a string only for a pipe.
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        agent.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function sendResponse(
  { status, headers, body, hasBodyOfHead, frameGroups: groups }: ProxiedResponse,
  response: ServerResponse,
): Promise<void> {
  if (hasBodyOfHead === true) {
    // Node would omit the body.
    const head = `HTTP/1.1 ${status} \r\ncontent-length: ${body.length}\r\n\r\n`
    response.socket?.end(Buffer.concat([Buffer.from(head), body]))
    return
  }
  response.writeHead(status, { ...headers, 'content-length': body.length })
  const frames = groups === undefined ? [] : body.toString('utf8').split(/(?<=\n\n)/)
  const size = groups?.size ?? 1
  for (let index = 0; index < frames.length && !response.destroyed; index += size) {
    await sleep(groups?.intervalMs)
    response.write(frames.slice(index, index + size).join(''))
  }
  response.end(frames.length === 0 ? body : undefined)
}

function forward(
  upstreamUrl: string,
  { method, target, headers: { 'transfer-encoding': _encoding, ...headers }, body }: ProxiedRequest,
  agent: Agent,
): Promise<ProxiedResponse> {
  return new Promise((resolve, reject) => {
    const fields = body.length > 0 || method === 'POST' ? { ...headers, 'content-length': body.length } : headers
    const outgoing = sendRequest(upstreamUrl, { method, path: target, headers: fields, agent }, (incoming) => {
      readAll(incoming).then(
        (bytes) => resolve({ status: incoming.statusCode ?? 0, headers: fieldsOf(incoming.headers), body: bytes }),
        reject,
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function fieldsOf(headers: IncomingHttpHeaders): Record<string, string> {
  const fields = Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name))
  return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]))
}
