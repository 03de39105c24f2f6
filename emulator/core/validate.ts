import { OPERATIONS, type Operation } from '../../contract/facts.ts'
import { prepareChat } from '../operations/chat.ts'
import { prepareImages } from '../operations/images.ts'
import { prepareModels } from '../operations/models.ts'
import type { PreparedOperation, RequestFields } from '../operations/operation.ts'
import { prepareSpeech } from '../operations/speech.ts'
import { prepareTranscription } from '../operations/transcriptions.ts'
import type { Settings } from '../options/settings.ts'
import { isApiError, type ApiError } from './api-errors.ts'
import { parseJsonObject } from './json-body.ts'
import { parseForm } from './multipart-body.ts'
import type { RequestContext } from './request-context.ts'

/** A valid request. */
export interface ValidatedBody {
  /** The fields of the body before parameters are parsed. */
  readonly fields: RequestFields
  readonly work: PreparedOperation
}

/** Maximum body of a JSON request and of a form, in bytes. The specification sets no limit (section 8). */
const MAX_BODY_BYTES = { json: 8 * 1024 * 1024, multipart: 32 * 1024 * 1024 } as const

const PREPARE = {
  models: prepareModels,
  chat: prepareChat,
  images: prepareImages,
  transcriptions: prepareTranscription,
  speech: prepareSpeech,
} satisfies Record<Operation, unknown>

/**
 * Reads the body and validates every parameter without coercion (sections 4 and 7). Synchronous if the body has
 * arrived.
 * @returns an error for an invalid request: 400, or 404 for an unknown model
 */
export function validate(
  request: RequestContext,
  operation: Operation,
  settings: Settings,
): ValidatedBody | ApiError | Promise<ValidatedBody | ApiError> {
  const { body: kind } = OPERATIONS[operation]
  if (kind === 'none') return prepare(request, operation, { values: {} }, settings)
  const maxBytes = MAX_BODY_BYTES[kind]
  const parse = (body: Buffer | undefined) => {
    if (body === undefined) return tooLarge(maxBytes)
    const contentType = request.headers['content-type']
    if (kind === 'json') return parseJsonObject(body, contentType, settings.behaviour)
    return parseForm(body, contentType, settings.behaviour)
  }
  const body = request.readBody(maxBytes)
  const fields = body instanceof Promise ? body.then(parse) : parse(body)
  if (!(fields instanceof Promise)) return prepare(request, operation, fields, settings)
  return fields.then((later) => prepare(request, operation, later, settings))
}

function prepare(
  { baseUrl }: RequestContext,
  operation: Operation,
  fields: RequestFields | ApiError,
  settings: Settings,
): ValidatedBody | ApiError {
  if (isApiError(fields)) return fields
  const work = PREPARE[operation](fields, { settings, baseUrl })
  return isApiError(work) ? work : { fields, work }
}

function tooLarge(maxBytes: number): ApiError {
  return { code: 'body-too-large', message: `The request body has more than ${maxBytes} bytes.` }
}
