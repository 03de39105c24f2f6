import { OPERATIONS, type Operation } from '../../contract/facts.ts'
import { parseForm } from './multipart-body.ts'
import { parseJsonObject } from './json-body.ts'
import { prepareChat } from '../operations/chat.ts'
import { prepareImages } from '../operations/images.ts'
import { prepareModels } from '../operations/models.ts'
import type { RequestFields, PreparedOperation } from '../operations/operation.ts'
import { prepareSpeech } from '../operations/speech.ts'
import { prepareTranscription } from '../operations/transcriptions.ts'
import { isApiError, type ApiError } from './api-errors.ts'
import type { Settings } from '../options/settings.ts'
import type { Opened } from './open.ts'

/** A request that can be served as it stands. */
export interface ValidRequest extends Opened {
  /** The body's fields as they came. */
  readonly fields: RequestFields
  readonly work: PreparedOperation
}

/** Largest body in bytes of a JSON request and of a form; the document shows no bound (section 8). */
const BODY_LIMIT_BYTES = { json: 8 * 1024 * 1024, multipart: 32 * 1024 * 1024 } as const

const READERS = {
  models: prepareModels,
  chat: prepareChat,
  images: prepareImages,
  transcriptions: prepareTranscription,
  speech: prepareSpeech,
} satisfies Record<Operation, unknown>

/**
 * Reads the body and checks every parameter, without coercing any (sections 4, 7): at once where the body is there.
 * @returns the request with the work it asks for, or the refusal with which it leaves: 400, or 404 for the model
 */
export function validate(
  request: Opened,
  settings: Settings,
): ValidRequest | ApiError | Promise<ValidRequest | ApiError> {
  const kind = OPERATIONS[request.operation].body
  if (kind === 'none') return check(request, { values: {} }, settings)
  const read = (body: Buffer | undefined) => readFields(request, body, settings)
  const body = request.readBody(BODY_LIMIT_BYTES[kind])
  const fields = body instanceof Promise ? body.then(read) : read(body)
  if (!(fields instanceof Promise)) return check(request, fields, settings)
  return fields.then((later) => check(request, later, settings))
}

function readFields(
  { operation, contentType }: Opened,
  body: Buffer | undefined,
  { decisions }: Settings,
): RequestFields | ApiError | Promise<RequestFields | ApiError> {
  const isForm = OPERATIONS[operation].body === 'multipart'
  if (body === undefined) return tooLarge(BODY_LIMIT_BYTES[isForm ? 'multipart' : 'json'])
  return isForm ? parseForm(body, contentType, decisions) : parseJsonObject(body, contentType, decisions)
}

function check(request: Opened, fields: RequestFields | ApiError, settings: Settings): ValidRequest | ApiError {
  if (isApiError(fields)) return fields
  const work = READERS[request.operation](fields, { settings, baseUrl: request.baseUrl })
  return isApiError(work) ? work : Object.assign(request, { fields, work })
}

function tooLarge(limitBytes: number): ApiError {
  return { code: 'body-too-large', message: `The request body has more than ${limitBytes} bytes.` }
}
