import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { readRunningSeconds } from '../running-seconds.ts'

export interface ClientRequest {
  readonly method?: 'GET' | 'POST'
  /** Request path, including `/v1`. */
  readonly path: string
  readonly key: string
  /** Request body. A Buffer is sent unchanged with `contentType`; any other value is sent as JSON. */
  readonly body?: unknown
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly abortAfterMs?: number
  readonly abortAfterBytes?: number
}

/** Result of a request. Status 0 means that no response arrived. */
export interface ClientResponse {
  readonly status: number
  readonly body: Buffer
  /**
   * `complete`: the response is complete. `truncated`: the server closed the connection early. `aborted`: the client disconnected.
   */
  readonly end: 'complete' | 'truncated' | 'aborted'
}

/** Deadline for a response in seconds. A slower response counts as a hang. */
const MAX_RESPONSE_S = 30

/**
 * Sends one request. Resolves when the response ends or the client disconnects.
 * @throws Error only if the response is not complete at the deadline
 */
export function sendRequest(url: string, agent: Agent, request: ClientRequest): Promise<ClientResponse> {
  const { path, key, body, abortAfterMs, abortAfterBytes = Infinity } = request
  const bytes = body instanceof Buffer || body === undefined ? body : Buffer.from(JSON.stringify(body))
  const { method = bytes === undefined ? 'GET' : 'POST', contentType = 'application/json' } = request
  const headers = {
    authorization: `Bearer ${key}`,
    ...(bytes === undefined ? {} : { 'content-type': contentType, 'content-length': bytes.length }),
    ...request.headers,
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let received = 0
    let status = 0
    const call = httpRequest(url + path, { method, headers, agent })
    const finish = (end: ClientResponse['end']) => {
      clearInterval(hangTimer)
      clearTimeout(abortTimer)
      resolve({ status, body: Buffer.concat(chunks), end })
    }
    const abort = () => {
      finish('aborted')
      call.destroy()
    }
    const sinceS = readRunningSeconds()
    const hangTimer = setInterval(() => {
      if (readRunningSeconds() - sinceS < MAX_RESPONSE_S) return
      clearInterval(hangTimer)
      reject(new Error(`${method} ${path} has not ended after ${MAX_RESPONSE_S} s: ${JSON.stringify(request.headers)}`))
      call.destroy()
    }, 1000)
    const abortTimer = abortAfterMs === undefined ? undefined : setTimeout(abort, abortAfterMs)
    call.on('error', () => finish('truncated'))
    call.on('response', (response: IncomingMessage) => {
      status = response.statusCode ?? 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        received += chunk.length
        if (received >= abortAfterBytes) abort()
      })
      response.on('error', () => finish('truncated'))
      response.on('end', () => finish('complete'))
    })
    call.end(bytes)
  })
}
