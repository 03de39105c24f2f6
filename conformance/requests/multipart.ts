import { createHash } from 'node:crypto'
import type { FormFields, FormValue } from './api-request.ts'

/** An encoded multipart form (RFC 7578). `mediaType` includes the boundary. */
export interface EncodedForm {
  readonly body: Uint8Array
  readonly mediaType: string
}

/** Encodes form fields in order. The boundary is a hash of the content, so that equal forms have equal bytes. */
export function encodeMultipart(fields: FormFields): EncodedForm {
  const given = Object.entries(fields).filter((entry): entry is [string, FormValue] => entry[1] !== undefined)
  const boundary = boundaryFor(given)
  const parts = given.flatMap(([name, value]) => [
    Buffer.from(`--${boundary}\r\n${partHeader(name, value)}\r\n\r\n`),
    typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.bytes),
    Buffer.from('\r\n'),
  ])
  const body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)])
  return { body, mediaType: `multipart/form-data; boundary=${boundary}` }
}

/** Finds the boundary in the media type of a form. */
export const MULTIPART_BOUNDARY = /boundary=([\w-]+)/

function partHeader(name: string, value: FormValue): string {
  const disposition = `Content-Disposition: form-data; name="${escapeName(name)}"`
  if (typeof value === 'string') return disposition
  return `${disposition}; filename="${escapeName(value.filename)}"\r\nContent-Type: ${value.mediaType}`
}

/** Percent-encodes quotes and line breaks as browsers do (WHATWG HTML, multipart/form-data). */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function boundaryFor(fields: readonly (readonly [string, FormValue])[]): string {
  const hash = createHash('sha256')
  for (const [name, value] of fields) {
    hash.update(name).update('\0')
    hash.update(typeof value === 'string' ? value : value.bytes).update('\0')
  }
  return `touchstone-${hash.digest('hex').slice(0, 24)}`
}
