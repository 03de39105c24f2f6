import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import type { BusboyInstance } from '@fastify/busboy'
import { isNestedDeeper } from '../../common/json-depth.ts'
import { OPERATIONS, type Operation } from '../../contract/facts.ts'
import { prepareChat, usesLegacyFunctions } from '../operations/chat.ts'
import { prepareImages } from '../operations/images.ts'
import { convertLegacyFunctions, renameToolParameter } from '../operations/legacy-functions.ts'
import { prepareModels } from '../operations/models.ts'
import type { OperationContext, PreparedOperation, RequestFields } from '../operations/operation.ts'
import { prepareSpeech } from '../operations/speech.ts'
import { prepareTranscription } from '../operations/transcriptions.ts'
import type { UploadedFile } from '../operations/uploaded-file.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { EmulatorSettings } from '../options/settings.ts'
import { isApiError, type ApiError } from './api-errors.ts'
import type { RequestContext } from './request-context.ts'
import { whenReady } from './when-ready.ts'

export interface ValidatedBody {
  /** Fields of the body before their values are parsed. */
  readonly fields: RequestFields
  /** Fields of the body as the client sent them. Present only if `fields` are converted. */
  readonly sentFields?: RequestFields
  readonly work: PreparedOperation
}

/** Maximum size of a form, in bytes. The specification defines no limit (section 8). */
const MAX_FORM_BYTES = 32 * 1024 * 1024

const PREPARE = {
  models: prepareModels,
  chat: prepareChat,
  images: prepareImages,
  transcriptions: prepareTranscription,
  speech: prepareSpeech,
} satisfies Record<Operation, unknown>

/**
 * Reads the body and validates every parameter without coercion (sections 4 and 7). Returns synchronously if the body
 * has arrived.
 * @returns an error if the request is invalid: 400, or 404 for an unknown model
 */
export function validateRequest(
  request: RequestContext,
  operation: Operation,
  settings: EmulatorSettings,
): ValidatedBody | ApiError | Promise<ValidatedBody | ApiError> {
  const { body: kind } = OPERATIONS[operation]
  if (kind === 'none') return prepare(request, operation, { values: {} }, settings)
  return whenReady(readFields(request, kind, settings), (fields) => prepare(request, operation, fields, settings))
}

/**
 * Reads and parses the body. Returns synchronously if a JSON body has arrived.
 * @returns an error if the body is too large or malformed: 400
 */
export function readFields(
  request: RequestContext,
  kind: 'json' | 'multipart',
  settings: EmulatorSettings,
): RequestFields | ApiError | Promise<RequestFields | ApiError> {
  const maxBytes = kind === 'json' ? settings.behaviour['most-json-bytes'] : MAX_FORM_BYTES
  const parse = (body: Buffer | undefined) => {
    if (body === undefined) return createBodyTooLargeError(maxBytes, kind)
    const contentType = request.headers['content-type']
    if (kind === 'json') return parseJsonObject(body, contentType, settings.behaviour)
    return whenReady(parseMultipartForm(body, contentType, settings.behaviour), (fields) => {
      if (!isApiError(fields)) request.reportUploads(fields)
      return fields
    })
  }
  return whenReady(request.readBody(maxBytes), parse)
}

function prepare(
  request: RequestContext,
  operation: Operation,
  fields: RequestFields | ApiError,
  settings: EmulatorSettings,
): ValidatedBody | ApiError | Promise<ValidatedBody | ApiError> {
  if (isApiError(fields)) return fields
  const context = { settings, baseUrl: request.baseUrl, client: request }
  if (operation === 'chat' && usesLegacyFunctions(fields, settings.behaviour)) {
    return prepareLegacyChat(fields, context)
  }
  return whenReady(PREPARE[operation](fields, context), (work) => (isApiError(work) ? work : { fields, work }))
}

/** Prepares a chat request with `functions`. Fixtures apply to the equivalent request with `tools`. */
function prepareLegacyChat(sentFields: RequestFields, context: OperationContext): ValidatedBody | ApiError {
  const fields = convertLegacyFunctions(sentFields)
  if (isApiError(fields)) return fields
  const work = prepareChat(fields, context)
  if (isApiError(work)) return renameToolParameter(work)
  const generate: PreparedOperation['generate'] = (random, created, scripted, form) =>
    whenReady(work.generate(random, created, scripted, form), (response) =>
      isApiError(response) ? renameToolParameter(response) : response,
    )
  return { fields, sentFields, work: { ...work, generate } }
}

function createBodyTooLargeError(maxBytes: number, kind: 'json' | 'multipart'): ApiError {
  const advice = kind === 'json' ? ' The option most-json-bytes (--option) changes this limit.' : ''
  return { code: 'body-too-large', message: `The request body has more than ${maxBytes} bytes.${advice}` }
}

function createMalformedBodyError(message: string): ApiError {
  return { code: 'malformed-body', message }
}

export function parseJsonObject(
  body: Buffer,
  contentType: string | undefined,
  behaviour: BehaviourOptions,
): RequestFields | ApiError {
  if (behaviour['json-media-type'] === 'required' && !/^application\/json *(;|$)/i.test(contentType ?? '')) {
    return createMalformedBodyError('The request must have the header Content-Type: application/json.')
  }
  if (!isUtf8(body)) return createMalformedBodyError('The request body is not valid UTF-8.')
  const text = body.toString('utf8')
  const maxDepth = behaviour['most-json-depth']
  if (isNestedDeeper(text, maxDepth)) {
    const advice = 'The option most-json-depth (--option) changes this limit.'
    return createMalformedBodyError(`The request body is nested more than ${maxDepth} deep. ${advice}`)
  }
  const plainNumbers: Record<string, string> = {}
  let value: unknown
  try {
    value = behaviour['integer-form'] === 'plain' ? parseWithSources(text, plainNumbers) : JSON.parse(text)
  } catch {
    return createMalformedBodyError('The request body is not valid JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return createMalformedBodyError('The request body must be a JSON object.')
  }
  const duplicate = behaviour['duplicate-fields'] === 'refused' ? findDuplicateField(text) : undefined
  if (duplicate !== undefined)
    return createMalformedBodyError(`The field '${duplicate}' occurs twice in the request body.`)
  // The cast is safe, because the members of a JSON object have names. A copy would take longer than parsing.
  return { values: value as Readonly<Record<string, unknown>>, numberSources: plainNumbers }
}

/** Parses JSON and stores the source text of each number in `sources`, by field name. */
function parseWithSources(text: string, sources: Record<string, string>): unknown {
  const keep = (name: string, value: unknown, context: { source?: string }): unknown => {
    if (typeof value === 'number' && context.source !== undefined) sources[name] = context.source
    return value
  }
  // The types of TypeScript's library do not include the third argument of a reviver yet.
  return JSON.parse(text, keep as (name: string, value: unknown) => unknown)
}

/** Matches a JSON string or a structural character. */
const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

/** Returns the first field name that occurs twice in the same object of a valid JSON text, or undefined. */
function findDuplicateField(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = [] // Field names of each enclosing object, or undefined for an array.
  let last = ''
  for (const [token] of json.matchAll(JSON_TOKEN)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const name: unknown = JSON.parse(last)
      const seen = open.at(-1)
      if (seen?.has(String(name)) === true) return String(name)
      seen?.add(String(name))
    }
    last = token
  }
  return undefined
}

/** Maximum number of parts of a form. Section 4.4 defines three fields. */
const MAX_FORM_PARTS = 100
const SLICE_BYTES = 16 * 1024

/**
 * Parses multipart form data (section 4.4). Accepts fields in any order and keeps the last value of a repeated field.
 */
export async function parseMultipartForm(
  body: Buffer,
  contentType: string | undefined,
  behaviour: BehaviourOptions,
): Promise<RequestFields | ApiError> {
  if (contentType === undefined || !/^multipart\/form-data\b/i.test(contentType)) {
    const message = 'The request body must be multipart/form-data.'
    if (behaviour['json-to-multipart'] === '415') return { code: 'unsupported-media-type', message }
    return createMalformedBodyError(message)
  }
  return parseParts(body, contentType)
}

async function parseParts(body: Buffer, contentType: string): Promise<RequestFields | ApiError> {
  // Imported on first use to save memory. Only one operation needs it.
  const { Busboy } = await import('@fastify/busboy')
  return new Promise((resolve) => {
    // The object has no prototype, so that a field named `__proto__` is an ordinary field.
    const values: Record<string, string | UploadedFile> = Object.create(null)
    const reject = (problem = 'The request body is not a well-formed multipart form.'): void =>
      resolve(createMalformedBodyError(problem))
    let busboy: BusboyInstance
    try {
      const limits = { parts: MAX_FORM_PARTS, fieldSize: body.length, fileSize: body.length }
      // With a smaller buffer, busboy never finishes after a larger part without Content-Disposition.
      busboy = new Busboy({ headers: { 'content-type': contentType }, limits, fileHwm: body.length + 1 })
    } catch {
      reject() // The Content-Type header has no boundary.
      return
    }
    const source = Readable.from(sliceBody(body))
    busboy.on('partsLimit', () => {
      source.destroy()
      reject(`The form has more than ${MAX_FORM_PARTS} parts.`)
    })
    busboy.on('field', (name, value) => {
      values[name] = value
    })
    busboy.on('file', (name, stream, filename: string | undefined, _encoding, mediaType) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', () => reject()) // The file stream emits `error` if the form ends inside the file.
      stream.on('end', () => {
        values[name] = { filename, mediaType, bytes: Buffer.concat(chunks) }
      })
    })
    busboy.on('error', () => reject())
    busboy.on('finish', () => resolve({ values }))
    source.pipe(busboy)
  })
}

/** Splits a form, so that its parser can stop before the end. Otherwise, a million parts would block the event loop. */
function* sliceBody(body: Buffer): Iterable<Buffer> {
  for (let at = 0; at < body.length; at += SLICE_BYTES) yield body.subarray(at, at + SLICE_BYTES)
}
