import type { TextMask } from '../../../common/secrets/text-mask.ts'
import type { ClientIdentity } from '../client-identity.ts'
import { formatLogEntry, createLogEntry, type RequestLogEntry, type StoredLogEntry } from './log-entry.ts'
import { createRequestMask } from '../request-mask.ts'
import type { RequestRecord } from '../request-record.ts'

/** Limits of the request log. Beyond `entries` or `bytes`, the log drops its oldest entries. */
export interface RequestLogLimits {
  readonly entries: number
  /**
   * Maximum size in bytes. The log estimates the size of an entry as ENTRY_BYTES plus two bytes per character of its
   * path, ignored fields, secrets, request headers, upload and bodies.
   */
  readonly bytes: number
  /** Maximum number of bytes kept of each request body and response body. 0 keeps no bodies. */
  readonly bodies: number
  /**
   * 1 stores the SHA-256 of each response body; 0 does not. Tests use the digest to prove that a client received every
   * byte.
   */
  readonly digests: number
}

/** Limits of the request log that can change at run time. */
export type RequestLogChange = Partial<Pick<RequestLogLimits, 'bodies' | 'digests'>>

export const DEFAULT_REQUEST_LOG_LIMITS: RequestLogLimits = {
  entries: 10_000,
  bytes: 16 * 1024 * 1024,
  bodies: 0,
  digests: 0,
}

/** Estimated size of a log entry without its texts. */
const ENTRY_BYTES = 512

/** Filter for log entries. An absent field matches every entry. */
export interface RequestLogQuery {
  readonly account?: string
  readonly operation?: string
  /** Range of statuses, inclusive. Null selects requests without a response. */
  readonly status?: { readonly min: number; readonly max: number } | null
  /** Selects entries with a greater sequence number than this one. */
  readonly after: number
  /** Selects entries with a smaller sequence number than this one. */
  readonly before?: number
  readonly limit: number
  /** If true, selects the last `limit` entries instead of the first. */
  readonly fromEnd: boolean
  /** If true, entries are returned without their bodies. */
  readonly omitsBodies?: boolean
}

/** Log entries that a query selects, oldest first. */
export interface RequestLogPage {
  readonly entries: readonly RequestLogEntry[]
  /** Value of the query parameter `after` for the next page, or null if this is the last page. */
  readonly next: number | null
  /** Total number of entries in the log. */
  readonly kept: number
  /** Number of entries that the log has dropped because of its limits. */
  readonly forgotten: number
}

/** Stores the latest requests, ordered by the end of their responses. */
export class RequestLog {
  readonly #initialLimits: RequestLogLimits
  #limits: RequestLogLimits
  /** Ring buffer. Entry n is at index (n - 1) modulo the maximum number of entries. */
  readonly #ring: (StoredLogEntry | undefined)[]
  #first = 1
  #next = 1
  #bytes = 0
  #dropped = 0

  constructor(bounds: Partial<RequestLogLimits> = {}) {
    this.#initialLimits = { ...DEFAULT_REQUEST_LOG_LIMITS, ...bounds }
    this.#limits = this.#initialLimits
    this.#ring = []
  }

  get limits(): RequestLogLimits {
    return this.#limits
  }

  /** Changes limits for requests that arrive later. Returns all limits. */
  setLimits(change: RequestLogChange): RequestLogLimits {
    this.#limits = { ...this.#limits, ...change }
    return this.#limits
  }

  get kept(): number {
    return this.#next - this.#first
  }

  add(record: RequestRecord, client: ClientIdentity): void {
    const { entries, bytes } = this.#limits
    if (entries === 0) return
    const entry = createLogEntry(this.#next, record, client)
    const size = estimateBytes(entry)
    while (this.kept >= entries || (this.#bytes + size > bytes && this.#first < this.#next)) {
      this.#dropOldest()
    }
    this.#ring[(this.#next - 1) % entries] = entry
    this.#bytes += size
    this.#next += 1
  }

  read(query: RequestLogQuery): RequestLogPage {
    const { account, operation, after, before = Infinity, limit, fromEnd, omitsBodies = false } = query
    const matching: StoredLogEntry[] = []
    const start = Math.max(this.#first, after + 1)
    const end = Math.min(this.#next, before)
    const count = end - start
    let isMore = false
    for (let step = 0; step < count && !isMore; step += 1) {
      const entry = this.#at(fromEnd ? end - 1 - step : start + step)
      if (entry === undefined) continue
      if (account !== undefined && entry.account !== account) continue
      if (operation !== undefined && entry.operation !== operation) continue
      if (!hasStatus(entry, query.status)) continue
      if (matching.length === limit) isMore = true
      else matching.push(entry)
    }
    if (fromEnd) matching.reverse()
    const next = isMore && !fromEnd ? (matching.at(-1)?.seq ?? after) : null
    const findMask = createMaskCache()
    const entries = matching.map((entry) =>
      formatLogEntry(omitsBodies ? omitBodies(entry) : entry, findMask(entry.secrets)),
    )
    return { entries, next, kept: this.kept, forgotten: this.#dropped }
  }

  /** Removes all entries, and restores the initial limits. */
  reset(): void {
    this.clear()
    this.#limits = this.#initialLimits
  }

  /** Removes all entries. Sequence numbers continue. */
  clear(): void {
    this.#ring.fill(undefined)
    this.#first = this.#next
    this.#bytes = 0
    this.#dropped = 0
  }

  #at(seq: number): StoredLogEntry | undefined {
    return this.#ring[(seq - 1) % this.#limits.entries]
  }

  #dropOldest(): void {
    const entry = this.#at(this.#first)
    if (entry !== undefined) this.#bytes -= estimateBytes(entry)
    this.#ring[(this.#first - 1) % this.#limits.entries] = undefined
    this.#first += 1
    this.#dropped += 1
  }
}

function hasStatus({ status }: StoredLogEntry, wanted: RequestLogQuery['status']): boolean {
  if (wanted === undefined || wanted === null || status === null) return wanted === undefined || wanted === status
  return status >= wanted.min && status <= wanted.max
}

/** Returns a function that creates each mask once, because many requests have the same secrets. */
function createMaskCache(): (secrets: readonly string[] | undefined) => TextMask | undefined {
  const masks = new Map<string, TextMask>()
  return (secrets) => {
    if (secrets === undefined) return undefined
    const name = secrets.join('\0')
    const mask = masks.get(name) ?? createRequestMask(secrets)
    masks.set(name, mask)
    return mask
  }
}

function omitBodies({ bodies: _bodies, ...entry }: StoredLogEntry): StoredLogEntry {
  return entry
}

/** Estimates the size of an entry in bytes, with two bytes per character. */
function estimateBytes(entry: StoredLogEntry): number {
  const { path, bodies, ignoredFields, secrets = [] } = entry
  const kept = bodies === undefined ? [] : [bodies.request, bodies.response, ...listArrivedTexts(entry)]
  const characters = [...ignoredFields, ...secrets, ...kept].reduce((sum, text) => sum + text.length, 0)
  return ENTRY_BYTES + 2 * (path.length + characters)
}

function listArrivedTexts({ requestHeaders = {}, upload }: StoredLogEntry): string[] {
  const file = upload === undefined ? [] : [upload.field, upload.filename ?? '', upload.mediaType]
  return [...Object.entries(requestHeaders).flat(), ...file]
}
