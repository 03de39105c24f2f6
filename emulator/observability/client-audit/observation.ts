import type { Moment, RequestRecord } from '../request-record.ts'
import { createHash } from 'node:crypto'
import { KEY_PREFIX } from '../../../contract/facts.ts'

/** Facts about one request, collected when its response has ended. */
export interface RequestObservation {
  readonly requestId: string
  /** Arrival, Unix time in milliseconds. */
  readonly atUnixMs: number
  /** Digest of the request. Identical requests of a client have identical fingerprints. Computed on demand. */
  fingerprint(): string
  /** Sequence number of the opening of its connection, which also identifies the connection; undefined in process. */
  readonly connection: number | undefined
  /** True for the first request on its connection. */
  readonly isFirstOnConnection: boolean
  readonly arrived: Moment
  /** End of the response. */
  readonly ended: Moment
  /** Undefined if there was no response. */
  readonly status: number | undefined
  /** True if the emulator closed or reset the connection. */
  readonly isAborted: boolean
  /** Value of Retry-After in the response, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** True if the client closed the connection before the end of a stream. */
  readonly hasAbortedStream: boolean
  readonly hasSecretInUrl: boolean
}

/**
 * Computes a digest of method, target, media type and body. The boundary of a form is left out, because clients
 * generate a new one for each attempt.
 */
export function fingerprintRequest({ request, body, bytesIn }: RequestRecord): string {
  const { method, target, headers } = request
  const contentType = String(headers['content-type'] ?? '')
  const boundary = /boundary="?([^";]+)/i.exec(contentType)?.[1]
  const hash = createHash('sha1').update(`${method} ${target} ${contentType.split(';', 1)[0]}\n`)
  if (body === undefined) return hash.digest('base64')
  if (boundary === undefined) return hash.update(`${bytesIn}\n`).update(body).digest('base64')
  return hash.update(body.toString('latin1').replaceAll(boundary, '')).digest('base64')
}

/** Query parameters in which clients send keys. */
const KEY_NAMES = /[?&](?:api[-_]?key|key|token|access[-_]?token|authorization|secret)=([^&]+)/i

const KEY = new RegExp(`${KEY_PREFIX}[\\w.~-]+`)

/** Finds a key, or the value of a parameter for keys, in a request target. Returns undefined if there is none. */
export function findSecretInUrl(target: string): string | undefined {
  if (!target.includes('?') && !target.includes(KEY_PREFIX)) return undefined
  return KEY.exec(target)?.[0] ?? KEY_NAMES.exec(target)?.[1]
}
