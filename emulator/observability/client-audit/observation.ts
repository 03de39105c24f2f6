import type { Moment, Notes } from '../request-log/request-record.ts'
import { createHash } from 'node:crypto'
import { KEY_PREFIX } from '../../../contract/facts.ts'

/** What is seen of one request, when its answer is over. */
export interface RequestObservation {
  readonly requestId: string
  /** When it came in, Unix time in milliseconds. */
  readonly atUnixMs: number
  /** What was asked: requests of one client that ask the same have the same. Only called where it matters. */
  fingerprint(): string
  /** Turn in which its connection was opened, which also names that connection; undefined in process. */
  readonly connection: number | undefined
  /** No request came by that connection before. */
  readonly isFirstOnConnection: boolean
  readonly arrived: Moment
  /** When the last of the answer was handed over. */
  readonly ended: Moment
  /** Undefined: there was no answer. */
  readonly status: number | undefined
  /** The connection was broken off by the emulator. */
  readonly isAborted: boolean
  /** As it was told to the client. */
  readonly retryAfterMs: number | undefined
  /** The client left a stream before its end. */
  readonly hasAbortedStream: boolean
  readonly hasSecretInUrl: boolean
}

/**
 * What a request asked, as a digest: method, target, media type and body. The boundary of a form is left out, as clients
 * draw a new one for each attempt.
 */
export function fingerprintRequest({ transported, body, bytesIn }: Notes): string {
  const { method, target, headers } = transported
  const contentType = headers['content-type'] ?? ''
  const boundary = /boundary="?([^";]+)/i.exec(contentType)?.[1]
  const hash = createHash('sha1').update(`${method} ${target} ${contentType.split(';', 1)[0]}\n`)
  if (body === undefined) return hash.digest('base64')
  if (boundary === undefined) return hash.update(`${bytesIn}\n`).update(body).digest('base64')
  return hash.update(body.toString('latin1').replaceAll(boundary, '')).digest('base64')
}

/** Names under which clients put a key into a query. */
const KEY_NAMES = /[?&](?:api[-_]?key|key|token|access[-_]?token|authorization|secret)=([^&]+)/i

const KEY = new RegExp(`${KEY_PREFIX}[\\w.~-]+`)

/** The key, or what stands where one would, in a request target. @returns undefined where there is none */
export function findSecretInUrl(target: string): string | undefined {
  if (!target.includes('?') && !target.includes(KEY_PREFIX)) return undefined
  return KEY.exec(target)?.[0] ?? KEY_NAMES.exec(target)?.[1]
}
