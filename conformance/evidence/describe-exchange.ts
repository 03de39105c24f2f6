import type { ExchangeEntry, ResponseEntry } from '../../reports/conformance-document.ts'
import type { Exchange } from '../http/exchange.ts'
import type { SecretMask } from './secrets.ts'

/** Maximum length of each body in a document, in characters. Also the maximum for all events of a stream together. */
const MAX_RECORDED_CHARACTERS = 16 * 1024
/** Maximum number of bytes of a body to decode. A character has at most four bytes. */
const MAX_DECODED_BYTES = 4 * MAX_RECORDED_CHARACTERS

/**
 * Converts an exchange to its entry in the document. Masks keys, truncates long bodies, and describes binary bodies by
 * their length.
 */
export function describeExchange(exchange: Exchange, mask: SecretMask): ExchangeEntry {
  const requestBody = describeBody(exchange.request.body ?? new Uint8Array())
  const responseBody = describeBody(exchange.body)
  const events = describeEvents(exchange)
  const response: ResponseEntry = {
    status: exchange.status,
    headers: exchange.headers,
    body: responseBody.shown,
    ...(exchange.events.length === 0 ? {} : { events: events.shown }),
  }
  return mask.maskJson({
    startedAtMs: roundMs(exchange.startedAtMs),
    request: {
      method: exchange.request.method,
      url: exchange.request.url,
      headers: exchange.request.headers,
      body: requestBody.shown,
    },
    response: exchange.status === 0 ? null : response,
    ...(exchange.error === undefined ? {} : { error: exchange.error.message }),
    truncated: requestBody.isCut || responseBody.isCut || events.isCut,
  })
}

interface Excerpt<T> {
  readonly shown: T
  readonly isCut: boolean
}

function describeBody(bytes: Uint8Array): Excerpt<string> {
  const text = textOf(bytes)
  if (text === undefined) {
    const start = Buffer.from(bytes.subarray(0, 8)).toString('hex')
    return { shown: `(${bytes.byteLength} bytes, not text, starting with ${start})`, isCut: false }
  }
  const isCut = bytes.byteLength > MAX_DECODED_BYTES || text.length > MAX_RECORDED_CHARACTERS
  return { shown: text.slice(0, MAX_RECORDED_CHARACTERS), isCut }
}

/** Decodes the bytes as UTF-8. Returns undefined if they are not valid UTF-8 or contain NUL. */
function textOf(bytes: Uint8Array): string | undefined {
  const isPartlyDecoded = bytes.byteLength > MAX_DECODED_BYTES
  try {
    // With `stream`, the decoder accepts an incomplete character at the end.
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const text = decoder.decode(bytes.subarray(0, MAX_DECODED_BYTES), { stream: isPartlyDecoded })
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function describeEvents(exchange: Exchange): Excerpt<{ atMs: number; data: string }[]> {
  const shown: { atMs: number; data: string }[] = []
  let room = MAX_RECORDED_CHARACTERS
  for (const event of exchange.events) {
    room -= event.data.length
    if (room < 0) {
      return { shown, isCut: true }
    }
    shown.push({ atMs: roundMs(event.atMs), data: event.data })
  }
  return { shown, isCut: false }
}

/**
 * Rounds to 0.1 ms. More digits would be meaningless, because the event loop limits the precision of the measurement.
 */
export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10
}
