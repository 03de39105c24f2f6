import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

const DECODERS: Readonly<Record<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/**
 * Undoes a content coding that was not asked for (the suite sends `accept-encoding: identity`). A body that is not what
 * its header says, or that would grow beyond `byteLimit`, stays as it came.
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

/** Ten times deeper than any answer of the contract: reading and showing a value recurses. */
const DEEPEST = 100

/** The value that a JSON text stands for; undefined when it is no JSON, or nested so deeply that it is meant to harm. */
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

/** Counts brackets outside of strings. What is no JSON may be counted wrongly, and is refused by the parser anyway. */
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
