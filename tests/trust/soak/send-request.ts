import { readRunningSeconds } from '../running-seconds.ts'

export interface ClientRequest {
  /** Request path, including `/v1`. */
  readonly path: string
  readonly key: string
  /** Request body. A Buffer is sent unchanged with `contentType`; any other value is sent as JSON. Absent in a GET request. */
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
export async function sendRequest(url: string, request: ClientRequest): Promise<ClientResponse> {
  const { path, key, body, contentType = 'application/json', abortAfterMs, abortAfterBytes = Infinity } = request
  const bytes = body === undefined ? null : Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${key}`,
    ...(bytes === null ? {} : { 'content-type': contentType }),
    ...request.headers,
  }
  const controller = new AbortController()
  const sinceS = readRunningSeconds()
  const isLate = () => readRunningSeconds() - sinceS >= MAX_RESPONSE_S
  const hangTimer = setInterval(() => isLate() && controller.abort(), 1000)
  const abortTimer = abortAfterMs === undefined ? undefined : setTimeout(() => controller.abort(), abortAfterMs)
  const chunks: Uint8Array[] = []
  let status = 0
  const finish = (end: ClientResponse['end']) => ({ status, body: Buffer.concat(chunks), end })
  try {
    const method = bytes === null ? 'GET' : 'POST'
    const response = await fetch(url + path, { method, headers, body: bytes, signal: controller.signal })
    status = response.status
    let received = 0
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      received += chunk.length
      if (received >= abortAfterBytes) controller.abort()
    }
    return finish('complete')
  } catch {
    if (isLate()) throw new Error(`${path} has not ended after ${MAX_RESPONSE_S} s: ${JSON.stringify(request.headers)}`)
    return finish(controller.signal.aborted ? 'aborted' : 'truncated')
  } finally {
    clearInterval(hangTimer)
    clearTimeout(abortTimer)
  }
}
