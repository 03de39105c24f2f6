import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { isNestedDeeper } from '../../common/json-depth.ts'

const DECODERS: Readonly<Record<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/**
 * Decodes a compressed body. Most requests exclude compression (`accept-encoding: identity`), but a target may compress
 * anyway. Returns the body unchanged if decoding fails, or if the result would exceed `maxBodyBytes`.
 */
export function decodeBody(body: Uint8Array, contentEncoding: string | undefined, maxBodyBytes: number): Uint8Array {
  const decode = DECODERS[contentEncoding?.trim().toLowerCase() ?? '']
  if (decode === undefined) {
    return body
  }
  try {
    return decode(body, { maxOutputLength: maxBodyBytes })
  } catch {
    return body
  }
}

/**
 * Maximum nesting depth of JSON, ten times that of any specified response. Deeper values could exhaust the stack of
 * recursive functions, and take seconds to parse.
 */
const MAX_JSON_DEPTH = 100

/** Parses JSON. Returns undefined for invalid JSON, and for JSON that is nested deeper than `MAX_JSON_DEPTH`. */
export function parseJson(text: string): unknown {
  try {
    if (isNestedDeeper(text, MAX_JSON_DEPTH)) return undefined
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}
