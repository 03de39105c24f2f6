import { fetchLimited } from '../../common/fetch-limited.ts'
import { findSchemaProblems } from '../../common/schema/find-schema-problems.ts'
import {
  allowOthers,
  anything,
  boolean,
  count,
  list,
  map,
  nonNegative,
  nullable,
  object,
  optional,
  type Schema,
  string,
  type ValueOf,
} from '../../common/schema/build-schema.ts'
import { parseJson } from '../http/decode-body.ts'

/** Part of an entry of the emulator's request log that the suite uses. */
const logEntry = object({
  seq: count,
  id: string,
  method: string,
  path: string,
  model: nullable(string),
  status: nullable(count),
  fault: nullable(string),
  fixture: nullable(string),
  keyFingerprint: nullable(string),
  tokens: count,
  charged: string,
  ttftMs: nullable(nonNegative),
  totalMs: nonNegative,
  stream: boolean,
  clientLeft: boolean,
  left: optional(object({ afterMs: nonNegative, bytes: count, events: nullable(count) })),
  bodySha256: optional(string),
  bodies: optional(object({ request: string, response: string })),
  httpVersion: optional(string),
  requestHeaders: optional(map(string)),
  upload: optional(object({ field: string, filename: string, mediaType: string, bytes: count, sha256: string })),
})

/** A request that arrived at the upstream, as the emulator recorded it. */
export type UpstreamRequest = ValueOf<typeof logEntry>

const logPage = allowOthers(object({ entries: list(logEntry), next: nullable(count) }))
const fixtureList = allowOthers(object({ fixtures: list(object({ id: string, hits: count })) }))
const timings = allowOthers(object({ responses: list(object({ writtenMs: list(nonNegative) })) }))
const health = allowOthers(object({ status: string, inFlight: optional(count) }))

/** Maximum number of entries in a page of the request log. */
const PAGE_SIZE = 100
const MAX_LOGGED_BYTES = 65_536
/** Maximum size of a response of the control API, which can be a page with the bodies of all its entries, in bytes. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024
/** Maximum size of the log of a run, in characters. A gateway that sends each request twice causes a tenth of it. */
const MAX_LOG_CHARACTERS = 64 * 1024 * 1024
const CLOSE_TIMEOUT_MS = 5000

/** The upstream does not respond like the control API of an emulator. */
export class UpstreamError extends Error {
  /** What the suite lacks to use the emulator. */
  readonly missing: 'token' | undefined

  constructor(message: string, missing?: 'token') {
    super(message)
    this.missing = missing
  }
}

export interface UpstreamAddress {
  readonly url: string
  /** Control token, if the emulator requires one. */
  readonly token?: string | undefined
}

/** Control API of the emulator that is the upstream of the gateway. */
export class UpstreamControl {
  readonly url: string
  readonly #signal: AbortSignal
  readonly #headers: Readonly<Record<string, string>>
  readonly #byFixture = new Map<string, UpstreamRequest[]>()
  readonly #added: string[] = []
  #afterSeq = 0
  #logCharacters = 0
  #reading: Promise<void> | undefined

  constructor({ url, token }: UpstreamAddress, signal: AbortSignal) {
    this.url = url.replace(/\/+$/, '')
    this.#signal = signal
    this.#headers = token === undefined ? {} : { 'x-touchstone-token': token }
  }

  /** Makes the emulator record bodies, and skips its earlier requests. Throws an UpstreamError without an emulator. */
  async open(): Promise<void> {
    await this.#call('GET', '/health', undefined, health)
    const last = await this.#call('GET', '/request-log?tail=1&bodies=0', undefined, logPage)
    this.#afterSeq = last.entries.at(-1)?.seq ?? 0
    const recorded = { bodies: MAX_LOGGED_BYTES, digests: 1 }
    await this.#call('PATCH', '/request-log', recorded, anything)
  }

  /** Removes the fixtures of the run, also after an aborted run. */
  async close(): Promise<void> {
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS)
    const remove = (id: string) =>
      fetchLimited(`${this.url}/__emulator/fixtures/${encodeURIComponent(id)}`, {
        method: 'DELETE',
        headers: this.#headers,
        signal,
        maxBytes: MAX_RESPONSE_BYTES,
      })
    await Promise.allSettled(this.#added.map(remove))
  }

  async addFixture(fixture: Readonly<Record<string, unknown>>): Promise<string> {
    const { fixtures } = await this.#call('POST', '/fixtures', fixture, fixtureList)
    const [added] = fixtures
    // Without an ID, the path of the fixture would be that of all fixtures.
    if (added === undefined || added.id === '') throw new UpstreamError('POST /fixtures returned no ID')
    this.#added.push(added.id)
    return added.id
  }

  async removeFixture(id: string): Promise<void> {
    await this.#call('DELETE', `/fixtures/${encodeURIComponent(id)}`, undefined, anything)
  }

  /** Returns the requests so far to which the upstream applied a fixture, in the order in which their responses ended. */
  async requestsOf(fixture: string): Promise<readonly UpstreamRequest[]> {
    await this.#read()
    return [...(this.#byFixture.get(fixture) ?? [])]
  }

  /** Returns the number of requests to which a fixture applies and that have arrived at the upstream. */
  async countMatches(fixture: string): Promise<number> {
    const { fixtures } = await this.#call('GET', '/fixtures', undefined, fixtureList)
    return fixtures.find(({ id }) => id === fixture)?.hits ?? 0
  }

  /** Returns the times at which the upstream wrote the events of a stream, in milliseconds since its request. */
  async readTimesMs(requestId: string): Promise<readonly number[]> {
    const path = `/timing/responses?id=${encodeURIComponent(requestId)}`
    const { responses } = await this.#call('GET', path, undefined, timings)
    return responses[0]?.writtenMs ?? []
  }

  /** Returns whether the upstream handles no request. */
  async isIdle(): Promise<boolean> {
    const { inFlight = 0 } = await this.#call('GET', '/health', undefined, health)
    return inFlight === 0
  }

  /** Reads new entries of the request log. Parallel calls share one request. */
  #read(): Promise<void> {
    this.#reading ??= this.#readPages().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async #readPages(): Promise<void> {
    for (let isMore = true; isMore;) {
      const path = `/request-log?after=${this.#afterSeq}&limit=${PAGE_SIZE}`
      const before = this.#afterSeq
      const page = await this.#call('GET', path, undefined, logPage)
      for (const entry of page.entries) {
        this.#afterSeq = Math.max(this.#afterSeq, entry.seq)
        this.#logCharacters += JSON.stringify(entry).length
        if (this.#logCharacters > MAX_LOG_CHARACTERS) throw new UpstreamError('the request log is too large')
        if (entry.fixture === null) continue
        const known = this.#byFixture.get(entry.fixture)
        if (known === undefined) this.#byFixture.set(entry.fixture, [entry])
        else known.push(entry)
      }
      // A server that is not an emulator may return pages without an end.
      isMore = page.next !== null && this.#afterSeq > before
    }
  }

  async #call<Value>(method: string, path: string, body: unknown, schema: Schema<Value>): Promise<Value> {
    const at = `${method} ${this.url}/__emulator${path.split('?')[0]}`
    const { status, text } = await fetchLimited(`${this.url}/__emulator${path}`, {
      method,
      signal: this.#signal,
      maxBytes: MAX_RESPONSE_BYTES,
      ...(body === undefined
        ? { headers: this.#headers }
        : { body: JSON.stringify(body), headers: { ...this.#headers, 'content-type': 'application/json' } }),
    }).catch((error: unknown) => {
      throw new UpstreamError(`${at} failed: ${error instanceof Error ? error.message : String(error)}`)
    })
    if (status === 401) throw new UpstreamError(`${at} returned 401`, 'token')
    if (status < 200 || status > 299) throw new UpstreamError(`${at} returned ${status}`)
    const value = text === '' ? undefined : parseJson(text)
    const [problem] = findSchemaProblems(schema.json, value, 'the response')
    if (problem !== undefined) throw new UpstreamError(`${at}: ${problem}`)
    return value as Value // The schema describes `Value`.
  }
}
