import type { EventTime, RequestRecord } from '../request-record.ts'
import { createHash } from 'node:crypto'
import { KEY_PREFIX } from '../../../contract/facts.ts'

/** Properties of a finished request that the client audit evaluates. */
export interface RequestObservation {
  readonly requestId: string
  /** Arrival time, in Unix milliseconds. */
  readonly atUnixMs: number
  /** Computes a digest of the request. Identical requests have identical digests. */
  fingerprint(): string
  /**
   * Number that identifies the connection: its position in the order of opening. Undefined for an in-process request.
   */
  readonly connection: number | undefined
  readonly isFirstOnConnection: boolean
  readonly arrived: EventTime
  readonly ended: EventTime
  /** HTTP status of the response, or undefined if there was no response. */
  readonly status: number | undefined
  /** True if the emulator closed or reset the connection. */
  readonly isAborted: boolean
  /**
   * True if the client did not receive the whole response: it disconnected, or the emulator closed or reset the
   * connection.
   */
  readonly isIncomplete: boolean
  /** True if the emulator has read the request body. It does not if the client disconnects first. */
  readonly hasBody: boolean
  /** Charge in units of 0.0001 credit. */
  readonly chargedUnits: number
  /** Digest of the header Idempotency-Key, or undefined without one. Retries of a request repeat the header. */
  readonly idempotencyKey: string | undefined
  /** Number of earlier attempts that the client declares for this request, or undefined if it declares none. */
  readonly retryCount: number | undefined
  /** Value of Retry-After in the response, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** True if the client closed the connection before the end of a stream. */
  readonly hasAbortedStream: boolean
  readonly hasSecretInUrl: boolean
}

/**
 * Computes a digest of the method, target, key, media type and body. Ignores the boundary of a form, because clients
 * generate a new boundary for each attempt.
 */
export function fingerprintRequest({ request, body, bytesIn }: RequestRecord): string {
  const { method, target, key, headers } = request
  const contentType = String(headers['content-type'] ?? '')
  const boundary = /boundary="?([^";]+)/i.exec(contentType)?.[1]
  const hash = createHash('sha1').update(`${method} ${target} ${key} ${contentType.split(';', 1)[0]}\n`)
  if (body === undefined) return hash.digest('base64')
  if (boundary === undefined) return hash.update(`${bytesIn}\n`).update(body).digest('base64')
  return hash.update(body.toString('latin1').replaceAll(boundary, '')).digest('base64')
}

/** Reads the headers in which a client declares that a request is a retry. The openai SDKs count their attempts. */
export function readRetryHeaders({
  'idempotency-key': key,
  'x-stainless-retry-count': count,
}: RequestRecord['request']['headers']): Pick<RequestObservation, 'idempotencyKey' | 'retryCount'> {
  return {
    // A digest, because the history outlives the request and a header may be long.
    idempotencyKey: typeof key === 'string' ? createHash('sha1').update(key).digest('base64') : undefined,
    retryCount: typeof count === 'string' && /^\d{1,9}$/.test(count) ? Number(count) : undefined,
  }
}

/** Matches query parameters in which clients may wrongly send keys. */
const KEY_PARAMETER = /[?&](?:api[-_]?key|key|token|access[-_]?token|authorization|secret)=([^&]+)/i

const KEY = new RegExp(`${KEY_PREFIX}[\\w.~-]+`)

/**
 * Finds an API key in a request target, or the value of a parameter that is named like a key. Returns undefined if
 * there is none.
 */
export function findSecretInUrl(target: string): string | undefined {
  if (!target.includes('?') && !target.includes(KEY_PREFIX)) return undefined
  return KEY.exec(target)?.[0] ?? KEY_PARAMETER.exec(target)?.[1]
}
