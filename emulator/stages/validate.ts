import { OPERATIONS, type Operation } from '../../contract/facts.ts'
import { readForm } from '../body/read-form.ts'
import { readJsonObject } from '../body/read-json.ts'
import { readChat } from '../operations/chat.ts'
import { readImages } from '../operations/images.ts'
import { listModels } from '../operations/models.ts'
import type { RequestFields, Work } from '../operations/operation.ts'
import { readSpeech } from '../operations/speech.ts'
import { readTranscriptions } from '../operations/transcriptions.ts'
import { isRefusal, type Refusal } from '../refusals.ts'
import type { Settings } from '../settings.ts'
import type { Admitted } from './admit.ts'

/** A request that can be served as it stands. */
export interface Validated extends Admitted {
  readonly work: Work
}

/** Largest body in bytes of a JSON request and of a form; the document shows no bound (section 8). */
const BODY_LIMIT_BYTES = { json: 8 * 1024 * 1024, multipart: 32 * 1024 * 1024 } as const

const READERS = {
  models: listModels,
  chat: readChat,
  images: readImages,
  transcriptions: readTranscriptions,
  speech: readSpeech,
} satisfies Record<Operation, unknown>

const OPERATION_AT: ReadonlyMap<string, Operation> = new Map(
  (Object.keys(READERS) as Operation[]) // Object.keys forgets what the type knows
    .map((operation) => [`${OPERATIONS[operation].method} ${OPERATIONS[operation].path}`, operation]),
)

/**
 * Finds the operation, reads the body and checks every parameter, without coercing any (sections 4, 7).
 * @returns the request with the work it asks for, or the refusal with which it leaves: 404 or 400
 */
export async function validate(request: Admitted, settings: Settings): Promise<Validated | Refusal> {
  const operation = OPERATION_AT.get(`${request.method} ${request.path}`)
  if (operation === undefined) {
    return { refused: 'unknown-endpoint', message: `There is no endpoint ${request.method} ${request.path}.` }
  }
  const fields = await readFields(request, OPERATIONS[operation].body)
  if (isRefusal(fields)) return fields
  const work = READERS[operation](fields, { settings, baseUrl: request.baseUrl })
  return isRefusal(work) ? work : { ...request, work }
}

async function readFields(request: Admitted, kind: 'none' | 'json' | 'multipart'): Promise<RequestFields | Refusal> {
  if (kind === 'none') return { values: {} }
  const limitBytes = BODY_LIMIT_BYTES[kind]
  const body = await request.readBody(limitBytes)
  if (body === undefined) {
    return { refused: 'body-too-large', message: `The request body has more than ${limitBytes} bytes.` }
  }
  return kind === 'json' ? readJsonObject(body) : await readForm(body, request.contentType)
}
