import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

const DECODERS: Readonly<Record<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/**
 * Decodes a content coding, although the suite accepts none (it sends `accept-encoding: identity`). Leaves the body
 * unchanged if it does not match its header, or if it would exceed `byteLimit`.
 */
export function decodeBody(body: Uint8Array, contentEncoding: string | undefined, byteLimit: number): Uint8Array {
  const decode = DECODERS[contentEncoding?.trim().toLowerCase() ?? '']
  if (decode === undefined) {
    return body
  }
  try {
    return decode(body, { maxOutputLength: byteLimit })
  } catch {
    return body
  }
}

/** Maximum nesting of JSON, ten times that of any specified response. Reading and showing a value recurses. */
const DEEPEST = 100

/** Parses JSON; undefined for invalid JSON and for JSON nested deeper than 100 levels, which may be an attack. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) {
    return undefined
  }
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/** Counts brackets outside of strings. The count may be wrong for invalid JSON, which the parser rejects anyway. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') {
      isInString = !isInString
    } else if (isInString) {
      at += character === '\\' ? 1 : 0
    } else if (character === '[' || character === '{') {
      depth += 1
    } else if (character === ']' || character === '}') {
      depth -= 1
    }
    if (depth > DEEPEST) {
      return true
    }
  }
  return false
}
