import type { BusboyInstance } from '@fastify/busboy'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { RequestFields, UploadedFile } from '../operations/operation.ts'
import type { ApiError } from './api-errors.ts'

/** Maximum number of form fields. A form with more is not a request of section 4.4. */
const MAX_FIELDS = 100

/** Reads multipart form data (section 4.4). Fields may come in any order; the last value of a repeated field wins. */
export async function parseForm(
  body: Buffer,
  contentType: string | undefined,
  behaviour: BehaviourOptions,
): Promise<RequestFields | ApiError> {
  if (contentType === undefined || !/^multipart\/form-data\b/i.test(contentType)) {
    const message = 'The request body must be multipart/form-data.'
    if (behaviour['json-to-multipart'] === '415') return { code: 'unsupported-media-type', message }
    return malformedBody(message)
  }
  const values = await parseParts(body, contentType)
  return values === undefined ? malformedBody('The request body is not a well-formed multipart form.') : { values }
}

type FormValues = Record<string, string | UploadedFile>

/** @returns undefined for a malformed form */
async function parseParts(body: Buffer, contentType: string): Promise<FormValues | undefined> {
  const { Busboy } = await import('@fastify/busboy') // Loaded on first use, to save memory: one operation of five needs it.
  return new Promise((resolve) => {
    const values: FormValues = Object.create(null) // No prototype: a field named __proto__ is an ordinary field.
    let busboy: BusboyInstance
    try {
      const limits = { fields: MAX_FIELDS, files: MAX_FIELDS, fieldSize: body.length, fileSize: body.length }
      busboy = new Busboy({ headers: { 'content-type': contentType }, limits })
    } catch {
      resolve(undefined) // The header has no boundary.
      return
    }
    busboy.on('field', (name, value) => {
      values[name] = value
    })
    busboy.on('file', (name, stream, filename) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', () => resolve(undefined)) // The form ends inside the file.
      stream.on('end', () => {
        values[name] = { filename, bytes: Buffer.concat(chunks) }
      })
    })
    busboy.on('error', () => resolve(undefined))
    busboy.on('finish', () => resolve(values))
    busboy.end(body)
  })
}

function malformedBody(message: string): ApiError {
  return { code: 'malformed-body', message }
}
