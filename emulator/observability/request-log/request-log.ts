import type { Client } from '../client-identity.ts'
import { formatEntry, createEntry, type RequestLogEntry, type StoredEntry } from './log-entry.ts'
import type { Notes } from './request-record.ts'

/** How much the journal keeps: past either bound the oldest entries are forgotten. */
export interface RequestLogLimits {
  /** Entries. */
  readonly entries: number
  /** Bytes, as estimated: `ENTRY_BYTES` an entry, and its texts. */
  readonly bytes: number
  /** Bytes of each request body and response body that are kept; 0: none. */
  readonly bodies: number
  /** 1: the SHA-256 of each response body is kept, so that a client can be shown to have read the very bytes; 0: not. */
  readonly digests: number
}

/** What applies where nothing is set. */
export const DEFAULT_REQUEST_LOG_LIMITS: RequestLogLimits = {
  entries: 10_000,
  bytes: 16 * 1024 * 1024,
  bodies: 0,
  digests: 0,
}

/** What an entry takes without its path and bodies, about. */
const ENTRY_BYTES = 512

/** Which entries are asked for. */
export interface RequestLogQuery {
  readonly account?: string
  readonly operation?: string
  /** Null: those without an answer. */
  readonly status?: number | null
  /** Only entries after this one. */
  readonly after: number
  readonly limit: number
  /** True: the last `limit` of them, instead of the first. */
  readonly fromEnd: boolean
}

/** Some entries, oldest first. */
export interface RequestLogPage {
  readonly entries: readonly RequestLogEntry[]
  /** What to give as `after` for what follows; null: nothing follows yet. */
  readonly next: number | null
  /** Entries that are kept, whatever was asked. */
  readonly kept: number
  /** Entries that were forgotten to stay within the bounds. */
  readonly forgotten: number
}

/** The requests of the recent past, in the order in which their answers ended. */
export class RequestLog {
  readonly limits: RequestLogLimits
  /** A ring: the entry with sequence number n is at (n - 1) modulo its length. */
  readonly #ring: (StoredEntry | undefined)[]
  #first = 1
  #next = 1
  #bytes = 0
  #dropped = 0

  constructor(bounds: Partial<RequestLogLimits> = {}) {
    this.limits = { ...DEFAULT_REQUEST_LOG_LIMITS, ...bounds }
    this.#ring = []
  }

  /** How many entries are kept. */
  get kept(): number {
    return this.#next - this.#first
  }

  add(notes: Notes, client: Client): void {
    const { entries, bytes, bodies } = this.limits
    if (entries === 0) return
    const entry = createEntry(this.#next, notes, client, bodies)
    const size = estimateBytes(entry)
    while (this.kept >= entries || (this.#bytes + size > bytes && this.#first < this.#next)) {
      this.#dropOldest()
    }
    this.#ring[(this.#next - 1) % entries] = entry
    this.#bytes += size
    this.#next += 1
  }

  read({ account, operation, status, after, limit, fromEnd }: RequestLogQuery): RequestLogPage {
    const matching: StoredEntry[] = []
    const start = Math.max(this.#first, after + 1)
    const count = this.#next - start
    let isMore = false
    for (let step = 0; step < count && !isMore; step += 1) {
      const entry = this.#at(fromEnd ? this.#next - 1 - step : start + step)
      if (entry === undefined) continue
      if (account !== undefined && entry.account !== account) continue
      if (operation !== undefined && entry.operation !== operation) continue
      if (status !== undefined && entry.status !== status) continue
      if (matching.length === limit) isMore = true
      else matching.push(entry)
    }
    if (fromEnd) matching.reverse()
    const next = isMore && !fromEnd ? (matching.at(-1)?.seq ?? after) : null
    return { entries: matching.map(formatEntry), next, kept: this.kept, forgotten: this.#dropped }
  }

  /** Forgets all entries; sequence numbers go on. */
  clear(): void {
    this.#ring.fill(undefined)
    this.#first = this.#next
    this.#bytes = 0
    this.#dropped = 0
  }

  #at(seq: number): StoredEntry | undefined {
    return this.#ring[(seq - 1) % this.limits.entries]
  }

  #dropOldest(): void {
    const entry = this.#at(this.#first)
    if (entry !== undefined) this.#bytes -= estimateBytes(entry)
    this.#ring[(this.#first - 1) % this.limits.entries] = undefined
    this.#first += 1
    this.#dropped += 1
  }
}

/** Two bytes a character, as strings take at most. */
function estimateBytes({ path, bodies }: StoredEntry): number {
  return ENTRY_BYTES + 2 * (path.length + (bodies === undefined ? 0 : bodies.request.length + bodies.response.length))
}
