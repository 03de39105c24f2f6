import { parseJsonBody } from './decode-body.ts'
import type { StreamEvent } from './exchange.ts'
import { MAX_PARSED_BYTES } from './memory-limits.ts'
import { listPieces, type TimedBody } from './received-body.ts'
import { SseReader } from './sse-reader.ts'

/** Text, JSON and events of a body. Each one is parsed when it is read for the first time. */
class ParsedBody {
  readonly #body: TimedBody
  readonly #isStream: boolean
  #text: string | undefined
  #json: { readonly value: unknown } | undefined
  #events: readonly StreamEvent[] | undefined

  constructor(body: TimedBody, isStream: boolean) {
    this.#body = body
    this.#isStream = isStream
  }

  get text(): string {
    return (this.#text ??= decodeText(this.#body.bytes))
  }

  get json(): unknown {
    this.#json ??= { value: parseJsonBody(this.#body.bytes) }
    return this.#json.value
  }

  get events(): readonly StreamEvent[] {
    return (this.#events ??= this.#isStream ? readEvents(this.#body).events : [])
  }
}

/** Number of bytes to decode at once. Node would allocate the memory of a larger text with `malloc`, see `ReceivedBody`. */
const DECODED_BYTES = 256 * 1024

function decodeText(bytes: Uint8Array): string {
  const decoder = new TextDecoder()
  let text = ''
  for (let at = 0; at < bytes.byteLength; at += DECODED_BYTES) {
    text += decoder.decode(bytes.subarray(at, at + DECODED_BYTES), { stream: true })
  }
  return text + decoder.decode()
}

/** Bodies that were parsed last, oldest first. */
const recent = new Map<TimedBody, ParsedBody>()
let recentBytes = 0

/** Returns the parsed forms of a body. Only those of the last bodies stay, because they need much more memory. */
export function parseBody(body: TimedBody, isStream: boolean): ParsedBody {
  const known = recent.get(body)
  const parsed = known ?? new ParsedBody(body, isStream)
  recent.delete(body)
  recent.set(body, parsed)
  if (known === undefined) recentBytes += body.bytes.byteLength
  for (const [oldest] of recent) {
    if (recentBytes <= MAX_PARSED_BYTES || oldest === body) break
    recent.delete(oldest)
    recentBytes -= oldest.bytes.byteLength
  }
  return parsed
}

export function forgetParsedBodies(): void {
  recent.clear()
  recentBytes = 0
}

export function readEvents(body: TimedBody): SseReader {
  const reader = new SseReader()
  for (const { bytes, atMs } of listPieces(body)) reader.push(bytes, atMs)
  return reader
}
