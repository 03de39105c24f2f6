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

/** The value that a JSON text stands for; undefined when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}
