import type { BusboyInstance } from '@fastify/busboy'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { RequestFields, UploadedFile } from '../operations/operation.ts'
import type { ApiError } from './api-errors.ts'

/** More fields than this are no request of section 4.4. */
const MAX_FIELDS = 100

/** Reads multipart form data (section 4.4): fields in any order; of a repeated field the last one counts. */
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
  const { Busboy } = await import('@fastify/busboy') // for one operation of five: not worth its memory before it is asked for
  return new Promise((resolve) => {
    const values: FormValues = Object.create(null) // so that a field named __proto__ is a field
    let busboy: BusboyInstance
    try {
      const limits = { fields: MAX_FIELDS, files: MAX_FIELDS, fieldSize: body.length, fileSize: body.length }
      busboy = new Busboy({ headers: { 'content-type': contentType }, limits })
    } catch {
      resolve(undefined) // no boundary
      return
    }
    busboy.on('field', (name, value) => {
      values[name] = value
    })
    busboy.on('file', (name, stream, filename) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', () => resolve(undefined)) // the form ends inside the file
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
