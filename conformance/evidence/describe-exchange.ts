import type { ExchangeEntry, ResponseEntry } from '../../reports/conformance-document.ts'
import type { Exchange } from '../http/exchange.ts'
import type { SecretMask } from './secrets.ts'

/** Maximum characters of a body, and of all events of a stream, that a document keeps. */
const SHOWN_CHARACTERS = 16 * 1024
/** Bytes of a body that are decoded for this: enough even if masking shortens every key in them. */
const READ_BYTES = 8 * SHOWN_CHARACTERS
/** Characters dropped at the end of the decoded part, where a key may be cut in the middle. */
const UNSURE_CHARACTERS = 1024

/** Converts an exchange for the document: masks keys, cuts long bodies, describes binary ones. */
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

interface Shown<T> {
  readonly shown: T
  readonly isCut: boolean
}

function describeBody(bytes: Uint8Array, mask: SecretMask): Shown<string> {
  const text = textOf(bytes)
  if (text === undefined) {
    const start = Buffer.from(bytes.subarray(0, 8)).toString('hex')
    return { shown: `(${bytes.byteLength} bytes, not text, starting with ${start})`, isCut: false }
  }
  // Masked before it is cut, so that no part of a key survives at the cut.
  const masked = mask.mask(text)
  const isReadInPart = bytes.byteLength > READ_BYTES
  const sure = isReadInPart ? masked.slice(0, -UNSURE_CHARACTERS) : masked
  return { shown: sure.slice(0, SHOWN_CHARACTERS), isCut: isReadInPart || masked.length > SHOWN_CHARACTERS }
}

/** Decodes the bytes as UTF-8; undefined if they are not UTF-8 or contain NUL. */
function textOf(bytes: Uint8Array): string | undefined {
  const isReadInPart = bytes.byteLength > READ_BYTES
  try {
    // With `stream`, an incomplete character at the end is not an error.
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const text = decoder.decode(bytes.subarray(0, READ_BYTES), { stream: isReadInPart })
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function describeEvents(exchange: Exchange, mask: SecretMask): Shown<{ atMs: number; data: string }[]> {
  const shown: { atMs: number; data: string }[] = []
  let room = SHOWN_CHARACTERS
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

/** Rounds to a tenth of a millisecond, finer than a client can measure through its event loop. */
export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10
}
