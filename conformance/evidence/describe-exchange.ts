import type { ExchangeEntry, ResponseEntry } from '../../reports/conformance-document.ts'
import type { Exchange } from '../http/exchange.ts'
import type { SecretMask } from './secrets.ts'

/** Maximum length of each body in a document, in characters. Also the maximum for all events of a stream together. */
const MAX_RECORDED_CHARACTERS = 16 * 1024
/**
 * Maximum number of bytes of a body to decode. It is larger than `MAX_RECORDED_CHARACTERS`, because masking can shorten
 * the text.
 */
const MAX_DECODED_BYTES = 8 * MAX_RECORDED_CHARACTERS
/**
 * Number of characters to drop at the end of a partly decoded body. They may contain the start of a key, which masking
 * does not recognize.
 */
const TRUNCATED_KEY_CHARACTERS = 1024

/**
 * Converts an exchange to its entry in the document. Masks keys, truncates long bodies, and describes binary bodies by
 * their length.
 */
export function describeExchange(exchange: Exchange, mask: SecretMask): ExchangeEntry {
  const requestBody = describeBody(exchange.request.body ?? new Uint8Array(), mask)
  const responseBody = describeBody(exchange.body, mask)
  const events = describeEvents(exchange, mask)
  const response: ResponseEntry = {
    status: exchange.status,
    headers: maskHeaders(exchange.headers, mask),
    body: responseBody.shown,
    ...(exchange.events.length === 0 ? {} : { events: events.shown }),
  }
  return {
    startedAtMs: roundMs(exchange.startedAtMs),
    request: {
      method: exchange.request.method,
      url: mask.mask(exchange.request.url),
      headers: maskHeaders(exchange.request.headers, mask),
      body: requestBody.shown,
    },
    response: exchange.status === 0 ? null : response,
    ...(exchange.error === undefined ? {} : { error: mask.mask(exchange.error.message) }),
    truncated: requestBody.isCut || responseBody.isCut || events.isCut,
  }
}

function maskHeaders(headers: Readonly<Record<string, string>>, mask: SecretMask): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask.mask(value)]))
}

interface Excerpt<T> {
  readonly shown: T
  readonly isCut: boolean
}

function describeBody(bytes: Uint8Array, mask: SecretMask): Excerpt<string> {
  const text = textOf(bytes)
  if (text === undefined) {
    const start = Buffer.from(bytes.subarray(0, 8)).toString('hex')
    return { shown: `(${bytes.byteLength} bytes, not text, starting with ${start})`, isCut: false }
  }
  // Masks keys before it truncates the text. Otherwise, part of a key could remain at the end.
  const masked = mask.mask(text)
  const isPartlyDecoded = bytes.byteLength > MAX_DECODED_BYTES
  const complete = isPartlyDecoded ? masked.slice(0, -TRUNCATED_KEY_CHARACTERS) : masked
  return {
    shown: complete.slice(0, MAX_RECORDED_CHARACTERS),
    isCut: isPartlyDecoded || masked.length > MAX_RECORDED_CHARACTERS,
  }
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

function describeEvents(exchange: Exchange, mask: SecretMask): Excerpt<{ atMs: number; data: string }[]> {
  const shown: { atMs: number; data: string }[] = []
  let room = MAX_RECORDED_CHARACTERS
  for (const event of exchange.events) {
    const data = mask.mask(event.data)
    room -= data.length
    if (room < 0) {
      return { shown, isCut: true }
    }
    shown.push({ atMs: roundMs(event.atMs), data })
  }
  return { shown, isCut: false }
}

/**
 * Rounds to 0.1 ms. More digits would be meaningless, because the event loop limits the precision of the measurement.
 */
export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10
}
