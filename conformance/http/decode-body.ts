import { isJsonObject } from '../../common/json-object.ts'
import { MAX_JSON_DEPTH, MAX_JSON_STRING_BYTES, MAX_JSON_VALUES } from './memory-limits.ts'

/** Parses JSON. Returns undefined for invalid JSON, and for JSON that is nested too deeply or has too many values. */
export function parseJson(text: string): unknown {
  // A text with fewer characters cannot exceed a limit. Most events of a stream are so short.
  const isShort = text.length <= MAX_JSON_DEPTH
  return isShort || findJsonExcess(Buffer.from(text)) === undefined ? parseAnyJson(text) : undefined
}

/** Parses the JSON of a body. Shortens long strings, for example images in Base64. */
export function parseJsonBody(body: Buffer): unknown {
  return findJsonExcess(body) === undefined ? parseAnyJson(shortenStrings(body).toString()) : undefined
}

/** Returns a member of a JSON object. Returns undefined for other values. */
export function getMember(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function parseAnyJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    return value
  } catch {
    return undefined
  }
}

const [BRACKET, BRACE, BRACKET_END, BRACE_END, COMMA, QUOTE, BACKSLASH] = Buffer.from('[{]},"\\')
const SPACE = 0x20
const FIRST_NON_ASCII = 0x80

/** Returns which limit a JSON text exceeds. The parser rejects invalid text, for which the counts may be wrong. */
export function findJsonExcess(json: Buffer): 'depth' | 'values' | undefined {
  let depth = 0
  let values = 0
  for (let at = 0; at < json.byteLength; at += 1) {
    const byte = json[at]
    if (byte === QUOTE) {
      at = findEndOfString(json, at)
    } else if (byte === BRACKET || byte === BRACE) {
      depth += 1
      values += 1
    } else if (byte === BRACKET_END || byte === BRACE_END) {
      depth -= 1
    } else if (byte === COMMA) {
      values += 1
    } else if (depth === 0 && byte !== undefined && byte > SPACE && byte < FIRST_NON_ASCII) {
      // A number, or text at which the parser stops.
      return undefined
    }
    if (depth > MAX_JSON_DEPTH) return 'depth'
    if (values > MAX_JSON_VALUES) return 'values'
  }
  return undefined
}

/** Returns the offset of the quotation mark that ends a string, or the end of the text. */
function findEndOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let first = end
    while (json[first - 1] === BACKSLASH) first -= 1
    // An even number of backslashes does not escape the quotation mark.
    if ((end - first) % 2 === 0) return end
  }
  return json.byteLength
}

/** Shortens the strings of JSON that are longer than the maximum. Does not split a character or an escape sequence. */
function shortenStrings(json: Buffer): Buffer {
  if (json.byteLength <= MAX_JSON_STRING_BYTES) return json
  const parts: Buffer[] = []
  let from = 0
  for (let start = json.indexOf('"'); start !== -1; start = json.indexOf('"', start + 1)) {
    const end = findEndOfString(json, start)
    if (end - start > MAX_JSON_STRING_BYTES) {
      parts.push(json.subarray(from, findCut(json, start + MAX_JSON_STRING_BYTES)))
      from = end
    }
    start = end
  }
  return Buffer.concat([...parts, json.subarray(from)])
}

/** Longest escape sequence, such as `\\u00e9`, in bytes. */
const MAX_ESCAPE_BYTES = 6

/** Returns the offset of a boundary between characters at or before this offset in a string. */
function findCut(json: Buffer, offset: number): number {
  const escape = json.lastIndexOf('\\', offset)
  let cut = escape > offset - MAX_ESCAPE_BYTES ? escape : offset
  while (json[cut - 1] === BACKSLASH) cut -= 1
  while (((json[cut] ?? 0) & 0xc0) === 0x80) cut -= 1
  return cut
}
