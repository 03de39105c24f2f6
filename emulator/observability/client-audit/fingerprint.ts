import { createHash } from 'node:crypto'
import type { Notes } from '../request-log/request-record.ts'

/**
 * What a request asked, as a digest: method, target, media type and body. The boundary of a form is left out, as clients
 * draw a new one for each attempt.
 */
export function fingerprintRequest({ transported, body, bytesIn }: Notes): string {
  const { method, target, headers } = transported
  const contentType = headers['content-type'] ?? ''
  const boundary = /boundary="?([^";]+)/i.exec(contentType)?.[1]
  const hash = createHash('sha1').update(`${method} ${target} ${contentType.split(';', 1)[0]}\n`)
  if (body === undefined) return hash.digest('base64')
  if (boundary === undefined) return hash.update(`${bytesIn}\n`).update(body).digest('base64')
  return hash.update(body.toString('latin1').replaceAll(boundary, '')).digest('base64')
}
