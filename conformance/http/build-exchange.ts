import { isStreamingRequest } from './is-streaming-request.ts'
import type { Exchange, RequestSpec } from './exchange.ts'
import { decodeBody, parseJson } from './decode-body.ts'
import type { NetworkError } from './network-error.ts'
import { SseReader } from './sse-reader.ts'

/** Received bytes, with their arrival time in milliseconds since the start of the request. */
export interface TimedBytes {
  readonly bytes: Uint8Array
  readonly atMs: number
}

/** A response before parsing. `status` is 0 if the target sent no status line. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly arrivals: readonly TimedBytes[]
  /** The pieces of a compressed body, decompressed. Without them, the whole body counts as decoded at its end. */
  readonly decodedArrivals?: readonly TimedBytes[]
  readonly totalMs: number
  readonly error?: NetworkError
  readonly reusedConnection?: true
  readonly wasAborted?: true
}

const tooManyEvents: NetworkError = { kind: 'too-large', message: 'the stream has more events than the suite reads' }

/**
 * Builds an exchange by parsing the text, JSON and events of a response. `maxBodyBytes` limits the size of a
 * decompressed body.
 */
export function buildExchange(
  request: RequestSpec & { readonly url: string },
  startedAtMs: number,
  response: RawResponse,
  maxBodyBytes: number,
): Exchange {
  const plainArrivals = response.decodedArrivals ?? decodeAtEnd(response, maxBodyBytes)
  const plain = Buffer.concat(plainArrivals.map((arrival) => arrival.bytes))
  const text = new TextDecoder().decode(plain)
  const stream = readStream(request, response, plainArrivals)
  const first = response.arrivals[0]
  const error = response.error ?? (stream?.isFull === true ? tooManyEvents : undefined)
  return {
    request,
    startedAtMs,
    totalMs: response.totalMs,
    status: response.status,
    headers: response.headers,
    body: plain,
    text,
    json: parseJson(text),
    events: stream?.events ?? [],
    unfinishedFrame: stream?.hasUnfinishedFrame ?? false,
    ...(first === undefined ? {} : { firstByteMs: first.atMs }),
    ...(error === undefined ? {} : { error }),
    ...(response.reusedConnection === undefined ? {} : { reusedConnection: true }),
    ...(response.wasAborted === undefined ? {} : { wasAborted: true }),
  }
}

/** Decompresses the whole body. Returns the received pieces if it is not compressed, or cannot be decoded. */
function decodeAtEnd({ arrivals, headers, totalMs }: RawResponse, maxBodyBytes: number): readonly TimedBytes[] {
  const body = Buffer.concat(arrivals.map(({ bytes }) => bytes))
  const plain = decodeBody(body, headers['content-encoding'], maxBodyBytes)
  return plain === body ? arrivals : [{ bytes: plain, atMs: totalMs }]
}

/**
 * Parses the body as events if its media type is `text/event-stream`. If the request has `stream: true`, also parses
 * the bodies of successful responses of all other media types except JSON.
 */
function readStream(
  request: RequestSpec,
  response: RawResponse,
  arrivals: readonly TimedBytes[],
): SseReader | undefined {
  const mediaType = response.headers['content-type'] ?? ''
  const isStream = /^\s*text\/event-stream\b/i.test(mediaType)
  const isOther = /^\s*application\/json\b/i.test(mediaType) || response.status < 200 || response.status >= 300
  if (!isStream && (isOther || !isStreamingRequest(request))) {
    return undefined
  }
  const reader = new SseReader()
  for (const arrival of arrivals) {
    reader.push(arrival.bytes, arrival.atMs)
  }
  return reader
}
