import type { Exchange, RequestSpec } from './exchange.ts'
import { decodeBody, parseJson } from './decode-body.ts'
import type { NetworkError } from './network-error.ts'
import { SseReader } from './sse-reader.ts'

/** Bytes with their arrival in milliseconds from the start of the request. */
export interface Arrival {
  readonly bytes: Uint8Array
  readonly atMs: number
}

/** A response before it is parsed. `status` is 0 when no status line arrived. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly arrivals: readonly Arrival[]
  readonly totalMs: number
  readonly error?: NetworkError
  readonly reusedConnection?: true
}

const tooManyEvents: NetworkError = { kind: 'too-large', message: 'the stream has more events than are read' }

/** Parses a response: text, JSON and events. `byteLimit` bounds a compressed body after decompression. */
export function buildExchange(
  request: RequestSpec & { readonly url: string },
  startedAtMs: number,
  answer: RawResponse,
  byteLimit: number,
): Exchange {
  const body = Buffer.concat(answer.arrivals.map((arrival) => arrival.bytes))
  const plain = decodeBody(body, answer.headers['content-encoding'], byteLimit)
  const text = new TextDecoder().decode(plain)
  const stream = readStream(
    request,
    answer,
    plain === body ? answer.arrivals : [{ bytes: plain, atMs: answer.totalMs }],
  )
  const first = answer.arrivals[0]
  const error = answer.error ?? (stream?.isFull === true ? tooManyEvents : undefined)
  return {
    request,
    startedAtMs,
    totalMs: answer.totalMs,
    status: answer.status,
    headers: answer.headers,
    body,
    text,
    json: parseJson(text),
    events: stream?.events ?? [],
    unfinishedFrame: stream?.hasUnfinishedFrame ?? false,
    ...(first === undefined ? {} : { firstByteMs: first.atMs }),
    ...(error === undefined ? {} : { error }),
    ...(answer.reusedConnection === undefined ? {} : { reusedConnection: true }),
  }
}

/**
 * Parses a body as events if its media type is that of a stream. Also does so if a stream was requested and the media
 * type is not JSON.
 */
function readStream(request: RequestSpec, answer: RawResponse, arrivals: readonly Arrival[]): SseReader | undefined {
  const mediaType = answer.headers['content-type'] ?? ''
  const isStream = /^\s*text\/event-stream\b/i.test(mediaType)
  const isOther = /^\s*application\/json\b/i.test(mediaType) || answer.status !== 200
  if (!isStream && (isOther || !asksForStream(request))) {
    return undefined
  }
  const reader = new SseReader()
  for (const arrival of arrivals) {
    reader.push(arrival.bytes, arrival.atMs)
  }
  return reader
}

function asksForStream(request: RequestSpec): boolean {
  if (request.body === undefined) {
    return false
  }
  const body = parseJson(Buffer.from(request.body).toString('utf8'))
  return typeof body === 'object' && body !== null && 'stream' in body && body.stream === true
}
