import type { BodyEntry, ExchangeEntry, ResponseEntry } from '../../reports/conformance-document.ts'
import type { Exchange } from '../http/exchange.ts'
import {
  EVIDENCE_LIMITS,
  type EvidenceLimits,
  MAX_EVIDENCE_CHARACTERS,
  SHORT_EVIDENCE_LIMITS,
} from '../http/memory-limits.ts'
import { type BodyExcerpt, type Excerpt, shortenBody, shortenEvents, shortenHeaders } from '../http/shorten-exchange.ts'
import type { SecretMask } from './secrets.ts'

/** Converts an exchange to its entry in the document. Masks keys, and shortens long bodies. */
export function describeExchange(exchange: Exchange, mask: SecretMask, limits = EVIDENCE_LIMITS): ExchangeEntry {
  const requestBody = describeBody({ body: exchange.request.body ?? new Uint8Array() }, limits)
  const responseBody = describeBody(exchange, limits)
  const requestHeaders = shortenHeaders(exchange.request.headers, limits)
  const headers = shortenHeaders(exchange.headers, limits)
  const events = shortenEvents(exchange.events, limits)
  const parts = [requestBody, responseBody, requestHeaders, headers, events]
  const response: ResponseEntry = {
    status: exchange.status,
    headers: headers.shown,
    ...responseBody.shown,
    ...(exchange.events.length === 0
      ? {}
      : { events: events.shown.map(({ atMs, data }) => ({ atMs: roundMs(atMs), data })) }),
  }
  return mask.maskJson({
    startedAtMs: roundMs(exchange.startedAtMs),
    request: {
      method: exchange.request.method,
      url: exchange.request.url,
      headers: requestHeaders.shown,
      ...requestBody.shown,
    },
    response: exchange.status === 0 ? null : response,
    ...(exchange.error === undefined ? {} : { error: exchange.error.message }),
    truncated: parts.some(({ isCut }) => isCut),
  })
}

/** Describes a body. `…` separates the start and the end of a shortened body. */
function describeBody(given: BodyExcerpt, limits: EvidenceLimits): Excerpt<BodyEntry> {
  const { body, whole } = shortenBody(given, limits)
  const bytes = whole?.bytes ?? body.byteLength
  const isCut = bytes > body.byteLength
  const head = decodeText(body.subarray(0, whole?.headBytes))
  if (head === undefined) {
    const start = Buffer.from(body.subarray(0, 8)).toString('hex')
    return { shown: { body: `(${bytes} bytes, not text, starting with ${start})` }, isCut: false }
  }
  if (whole === undefined || !isCut) return { shown: { body: head }, isCut }
  const tail = new TextDecoder().decode(body.subarray(whole.headBytes))
  const { sha256 } = whole
  return { shown: { body: `${head}…${tail}`, whole: { bytes, sha256 } }, isCut }
}

/** Decodes the start of a body as UTF-8. Returns undefined if it is not valid UTF-8 or contains NUL. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    // With `stream`, the decoder accepts an incomplete character at the end.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** Rounds to 0.1 ms, the precision that the event loop permits. */
export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10
}

/** Describes the evidence of a run. When it becomes large, later exchanges are shorter. */
export class EvidenceSize {
  #characters = 0
  #limits = EVIDENCE_LIMITS
  /** Entries with the present limits. Many checks show the same exchange, and masking it takes long. */
  #entries = new WeakMap<Exchange, ExchangeEntry>()

  describe(exchange: Exchange, mask: SecretMask): ExchangeEntry {
    if (this.#characters >= MAX_EVIDENCE_CHARACTERS && this.#limits !== SHORT_EVIDENCE_LIMITS) {
      this.#limits = SHORT_EVIDENCE_LIMITS
      this.#entries = new WeakMap()
    }
    const entry = this.#entries.get(exchange) ?? describeExchange(exchange, mask, this.#limits)
    this.#entries.set(exchange, entry)
    this.#characters += JSON.stringify(entry).length
    return entry
  }
}
