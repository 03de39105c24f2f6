import { omitUndefined } from '../../common/json-object.ts'
import { isStreamingRequest } from './request-body.ts'
import type { Exchange, RequestSpec } from './exchange.ts'
import { decodeArrivals } from './decode-arrivals.ts'
import { findJsonExcess } from './decode-body.ts'
import { createTooLargeError, type HttpOptions } from './http-options.ts'
import type { NetworkError } from './network-error.ts'
import { parseBody, readEvents } from './parsed-body.ts'
import type { TimedBody } from './received-body.ts'
import type { SseReader } from './sse-reader.ts'

/** A response before parsing. `status` is 0 if the target sent no status line. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Body, decompressed if the suite knows the encoding. */
  readonly body: TimedBody
  readonly totalMs: number
  readonly error?: NetworkError | undefined
  readonly reusedConnection?: true | undefined
  readonly wasAborted?: true | undefined
}

const JSON_START = /^\s*[[{]/

const tooManyEvents: NetworkError = {
  kind: 'too-large',
  message: 'the stream has more or longer events than the suite reads',
}
const wrongEncoding: NetworkError = {
  kind: 'wrong-encoding',
  message: 'the body is not compressed as its Content-Encoding says',
}
const tooManyValues: NetworkError = { kind: 'too-large', message: 'the JSON has more values than the suite reads' }

/** Memory of an arrival time, and of a header field besides its characters, in bytes. */
const PIECE_BYTES = 16
const FIELD_BYTES = 64

function measureHeaders(headers: Readonly<Record<string, string>>): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length + FIELD_BYTES, 0)
}

/** Builds an exchange. Its text, JSON and events are parsed when a check reads them. */
export function buildExchange(
  request: RequestSpec & { readonly url: string },
  startedAtMs: number,
  response: RawResponse,
): Exchange {
  const { body, status, headers, totalMs, reusedConnection, wasAborted } = response
  const isStream = isParsedAsStream(request, response)
  const stream = isStream ? readEvents(body) : undefined
  const error = response.error ?? findExcess(body.bytes, stream)
  return {
    request,
    startedAtMs,
    totalMs,
    status,
    headers,
    body: body.bytes,
    memoryBytes: body.bytes.byteLength + body.ends.length * PIECE_BYTES + measureHeaders(headers),
    get text() {
      return parseBody(body, isStream).text
    },
    get json() {
      return parseBody(body, isStream).json
    },
    get events() {
      return parseBody(body, isStream).events
    },
    unfinishedFrame: stream?.hasUnfinishedFrame ?? false,
    ...omitUndefined({ firstByteMs: body.timesMs[0], error, reusedConnection, wasAborted }),
  }
}

/** Builds the exchange of a response. Decompresses a compressed body in the pieces in which it arrived. */
export async function buildDecodedExchange(
  request: Exchange['request'],
  startedAtMs: number,
  response: RawResponse,
  { maxBodyBytes, memory }: Pick<HttpOptions, 'maxBodyBytes' | 'memory'>,
): Promise<Exchange> {
  const { body, headers, error } = response
  const decoded = await decodeArrivals(body, headers['content-encoding'], maxBodyBytes, memory)
  if (typeof decoded === 'object') return buildExchange(request, startedAtMs, { ...response, body: decoded })
  const problem = decoded === 'too-large' ? createTooLargeError(maxBodyBytes) : decoded && wrongEncoding
  return buildExchange(request, startedAtMs, { ...response, error: error ?? problem })
}

/** Returns an error if the body is larger than the suite can parse. */
function findExcess(body: Buffer, stream: SseReader | undefined): NetworkError | undefined {
  if (stream !== undefined) return stream.isFull ? tooManyEvents : undefined
  const isJson = JSON_START.test(body.toString('latin1', 0, 100))
  return isJson && findJsonExcess(body) === 'values' ? tooManyValues : undefined
}

/** Returns whether to parse events: by the media type, or if a response to `stream: true` is not JSON. */
function isParsedAsStream(request: RequestSpec, { headers, status }: RawResponse): boolean {
  const mediaType = headers['content-type'] ?? ''
  if (/^\s*text\/event-stream\b/i.test(mediaType)) return true
  const isOther = /^\s*application\/json\b/i.test(mediaType) || status < 200 || status >= 300
  return !isOther && isStreamingRequest(request)
}
