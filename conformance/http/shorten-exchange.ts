import { createHash } from 'node:crypto'
import { buildExchange } from './build-exchange.ts'
import type { Exchange, StreamEvent, WholeBody } from './exchange.ts'
import { joinPieces } from './received-body.ts'
import type { EvidenceLimits } from './memory-limits.ts'

/** A body, or its start and its end. */
export interface BodyExcerpt {
  readonly body: Uint8Array
  readonly whole?: WholeBody
}

/** Part of the events or header fields of a response. */
export interface Excerpt<Value> {
  readonly shown: Value
  readonly isCut: boolean
}

/** Characters of an event in a document besides its data: its time, and the names of its members. */
const EVENT_CHARACTERS = 40

/** Shortens a body to its start and its end, unless it is short. A shortened body is a copy. */
export function shortenBody({ body, whole }: BodyExcerpt, { headBytes, tailBytes }: EvidenceLimits): BodyExcerpt {
  if (body.byteLength <= headBytes + tailBytes) return whole === undefined ? { body } : { body, whole }
  const { bytes, sha256 } = whole ?? measureBody(body)
  const head = body.subarray(0, Math.min(headBytes, whole?.headBytes ?? headBytes))
  const tail = body.subarray(body.byteLength - tailBytes)
  return { body: Buffer.concat([head, tail]), whole: { bytes, sha256, headBytes: head.byteLength } }
}

function measureBody(body: Uint8Array): WholeBody {
  const sha256 = createHash('sha256').update(body).digest('hex')
  return { bytes: body.byteLength, sha256, headBytes: body.byteLength }
}

/** Returns the first events whose characters do not exceed the limit. */
export function shortenEvents(
  events: readonly StreamEvent[],
  { eventCharacters }: EvidenceLimits,
): Excerpt<readonly StreamEvent[]> {
  let room = eventCharacters
  const end = events.findIndex(({ data }) => {
    room -= data.length + EVENT_CHARACTERS
    return room < 0
  })
  return { shown: end === -1 ? events : events.slice(0, end), isCut: end !== -1 }
}

/** Returns the first header fields whose characters do not exceed the limit. */
export function shortenHeaders(
  headers: Readonly<Record<string, string>>,
  { headerCharacters }: EvidenceLimits,
): Excerpt<Readonly<Record<string, string>>> {
  let room = headerCharacters
  const fields = Object.entries(headers)
  const end = fields.findIndex(([name, value]) => {
    room -= name.length + value.length
    return room < 0
  })
  return { shown: end === -1 ? headers : Object.fromEntries(fields.slice(0, end)), isCut: end !== -1 }
}

/** Returns a copy of an exchange that holds only parts of the response, so that the response can be released. */
export function shortenExchange(exchange: Exchange, limits: EvidenceLimits): Exchange {
  const { request, startedAtMs, status, totalMs, firstByteMs = 0, unfinishedFrame, error } = exchange
  const { body, whole = measureBody(exchange.body) } = shortenBody(exchange, limits)
  const events = shortenEvents(exchange.events, limits).shown
  const short = buildExchange(request, startedAtMs, {
    status,
    headers: shortenHeaders(exchange.headers, limits).shown,
    body: joinPieces([{ bytes: body, atMs: firstByteMs }]),
    totalMs,
    error,
    reusedConnection: exchange.reusedConnection,
    wasAborted: exchange.wasAborted,
  })
  const { text } = short
  return { ...short, text, json: undefined, events, unfinishedFrame, whole }
}
