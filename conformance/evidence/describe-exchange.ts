import type { ExchangeEntry, ResponseEntry } from '../../reports/conformance-document.ts'
import type { Exchange } from '../http/exchange.ts'
import type { SecretMask } from './secrets.ts'

/** Most characters of a body, and of all events of a stream, that a document keeps. */
const SHOWN_CHARACTERS = 16 * 1024
/** Bytes of a body that are looked at for that: enough although each key in them gets shorter. */
const READ_BYTES = 8 * SHOWN_CHARACTERS
/** At the end of what is read, a key may be cut in the middle: so much is not shown. */
const UNSURE_CHARACTERS = 1024

/** An exchange as a document shows it: keys masked, long bodies cut, binary ones described. */
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

/** What is read of the bytes as UTF-8; undefined when it is none, or holds NUL. */
function textOf(bytes: Uint8Array): string | undefined {
  const isReadInPart = bytes.byteLength > READ_BYTES
  try {
    // In a stream, a character that is cut at the end is no error.
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

/** A tenth of a millisecond is finer than what a client's clock resolves through its event loop. */
export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10
}
