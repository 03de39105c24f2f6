import {
  Agent,
  createServer,
  request as sendRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Wire, WireResponse, WireRequest } from './wire.ts'

/** A server on loopback that forwards everything to the emulator, changed by `wire`. */
export interface Proxy {
  readonly url: string
  close(): Promise<void>
}

/** Header fields of one connection (RFC 9110, section 7.6.1), and the length, which may change. */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'upgrade', 'te'])

/** Starts a proxy before the server at `upstreamUrl`. */
export async function startProxy(upstreamUrl: string, wire: Wire): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, response) => {
    void exchange(incoming).then(
      (changed) => send(changed, response),
      () => response.destroy(), // The client disconnected, or the emulator is closed.
    )
  })

  const underWay = new Set<Buffer>()
  const firstHeaders = new WeakMap<Socket, Readonly<Record<string, string>>>()

  async function exchange(incoming: IncomingMessage): Promise<WireResponse> {
    const headers = fieldsOf(incoming.headers)
    if (!firstHeaders.has(incoming.socket)) firstHeaders.set(incoming.socket, headers)
    const body = await readAll(incoming)
    const request: WireRequest = {
      method: incoming.method ?? 'GET',
      target: incoming.url ?? '/',
      headers,
      firstHeaders: firstHeaders.get(incoming.socket) ?? headers,
      body,
      parallel: [...underWay],
    }
    underWay.add(body)
    try {
      const response = await answerTo(request)
      if (response.delayMs !== undefined) await sleep(response.delayMs)
      return response
    } finally {
      underWay.delete(body)
    }
  }

  async function answerTo(request: WireRequest): Promise<WireResponse> {
    const changed = wire.request?.(request) ?? request
    if ('status' in changed) return changed
    const response = await forward(upstreamUrl, changed, agent)
    return wire.response?.(response, request) ?? response
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // A string only for a listener on a pipe.
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

async function send({ status, headers, body, pace }: WireResponse, response: ServerResponse): Promise<void> {
  response.writeHead(status, { ...headers, 'content-length': body.length })
  const frames = pace === undefined ? [] : body.toString('utf8').split(/(?<=\n\n)/)
  const size = pace?.frames ?? 1
  for (let index = 0; index < frames.length && !response.destroyed; index += size) {
    await sleep(pace?.everyMs)
    response.write(frames.slice(index, index + size).join(''))
  }
  response.end(frames.length === 0 ? body : undefined)
}

function forward(
  upstreamUrl: string,
  { method, target, headers, body }: WireRequest,
  agent: Agent,
): Promise<WireResponse> {
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
  const fields = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name))
  return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]))
}
