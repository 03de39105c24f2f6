import { isUtf8 } from 'node:buffer'
import type { RequestFields } from '../operations/operation.ts'
import type { Refusal } from '../refusals.ts'

/** Reads a JSON object (section 4). The media type is not looked at: the document does not say what a wrong one means. */
export function readJsonObject(body: Buffer): RequestFields | Refusal {
  if (!isUtf8(body)) return malformed('The request body is not valid UTF-8.')
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    return malformed('The request body is not valid JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return malformed('The request body must be a JSON object.')
  }
  return { values: { ...value } }
}

function malformed(message: string): Refusal {
  return { refused: 'malformed-body', message }
}
