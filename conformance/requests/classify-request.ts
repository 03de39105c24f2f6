import { isUtf8 } from 'node:buffer'
import {
  OPERATION_NAMES,
  MESSAGE_ROLES,
  type Operation,
  OPERATIONS,
  PARAMETERS,
  PATH_PREFIX,
  TEMPERATURE_RANGE,
} from '../../contract/facts.ts'
import type { ApiRequest, FormFields } from './api-request.ts'
import { buildAudioFile } from './audio.ts'
import { MULTIPART_BOUNDARY } from './multipart.ts'
import { hasUsualNotation } from './json-notation.ts'

/**
 * Kind of a request according to the specification:
 * - `valid`: the request conforms to all tables, and its account may use the operation;
 * - `invalid`: the request violates the specification, or its account has no credits, so the target must return an
 *   error;
 * - `unspecified`: the specification does not define the response.
 */
export type RequestKind = 'valid' | 'invalid' | 'unspecified'

/** A request, with the data that its classification requires. */
export interface ClassificationInput {
  readonly request: ApiRequest
  readonly form?: FormFields | undefined
  /** Returns whether the target must serve this operation with the model. */
  isServed(operation: Operation, model: string): boolean
  /** Returns whether the specification or the target lists the model. */
  isListed(model: string): boolean
}

/** Maximum length of the text in a valid request, in bytes. Longer texts count as unspecified. */
const MAX_TEXT_BYTES = 8192
/** Maximum size of the body of a valid request, in bytes, and maximum number of its messages, for the same reason. */
const MAX_BODY_BYTES = 65_536
const MAX_MESSAGES = 100
/** Maximum `max_tokens` of a valid request. Larger values count as unspecified. */
const MAX_MAX_TOKENS = 1024

/** Returns the operation with this path. Ignores the method. Returns undefined for other paths. */
export function findOperationByPath(path: string): Operation | undefined {
  const bare = path.split('?', 1)[0]
  return OPERATION_NAMES.find((operation) => OPERATIONS[operation].path === bare)
}

/** Classifies a request by the specification. Ignores the response. */
export function classifyRequest(classified: ClassificationInput): RequestKind {
  const { request } = classified
  const operation = findOperationByPath(request.path)
  if (operation === undefined) return kindOfUnknownPath(request)
  if (!isAuthorized(request)) return 'invalid'
  if (request.method !== OPERATIONS[operation].method || request.path.includes('?')) return 'unspecified'
  if (restrictsResponse(request) || isChunked(request)) return 'unspecified'
  const kind = kindOfBody(operation, classified)
  if (kind !== 'valid' || operation === 'models') return kind
  if (request.key === 'no-credits') return 'invalid'
  // A check spends the credits of the small account, so that later requests must get a 402.
  return request.key === 'small' ? 'unspecified' : kind
}

/** Classifies a request to an unknown path. Trailing slashes, image files and other prefixes are unspecified. */
function kindOfUnknownPath({ method, path }: ApiRequest): RequestKind {
  const isOpen = path.endsWith('/') || (method === 'GET' && path.startsWith(`${PATH_PREFIX}/images/`))
  return isOpen || !path.startsWith(`${PATH_PREFIX}/`) ? 'unspecified' : 'invalid'
}

/** Returns whether a request has a key in the usual form, or none because the target has no keys. */
function isAuthorized({ key, headers: { authorization } }: ApiRequest): boolean {
  return key !== 'none' && key !== 'invalid' && (authorization === undefined || /^Bearer \S+$/.test(authorization))
}

/** Returns whether the request restricts the media type. HTTP then allows a 406, which section 7 does not list. */
function restrictsResponse({ headers }: ApiRequest): boolean {
  const accept = headers['accept']
  return accept !== undefined && !accept.includes('*/*')
}

/** Returns whether the request states no length of its body. HTTP then allows a 411, which is not in the table either. */
function isChunked({ headers }: ApiRequest): boolean {
  return headers['transfer-encoding'] !== undefined
}

/** Classification of a body, which may also depend on the model that it names. */
interface BodyKind {
  readonly kind: RequestKind
  /** Model of the request. Absent if the classification does not depend on it. */
  readonly named?: { readonly model: unknown }
}

/** Caches the classification by request, because summary checks read the kind of each request many times. */
const known = new WeakMap<ApiRequest, BodyKind>()

function kindOfBody(operation: Operation, classified: ClassificationInput): RequestKind {
  const { request } = classified
  const body = known.get(request) ?? readBody(operation, classified)
  known.set(request, body)
  return body.named === undefined ? body.kind : worst([body.kind, kindOfModel(operation, body.named.model, classified)])
}

function readBody(operation: Operation, { request, form }: ClassificationInput): BodyKind {
  switch (operation) {
    case 'models':
      return { kind: request.body === undefined ? 'valid' : 'unspecified' }
    case 'transcriptions':
      return form === undefined ? { kind: kindOfText(request) } : readForm(form, request)
    default:
      return readJson(operation, request)
  }
}

function kindOfText({ body, headers }: ApiRequest): RequestKind {
  const text = viewBytes(body).toString('latin1')
  const boundary = MULTIPART_BOUNDARY.exec(headers['content-type'] ?? '')?.[1] ?? ''
  const isForm = text.includes(`--${boundary}--`)
  return isForm && text.includes('name="model"') && text.includes('name="file"') ? 'unspecified' : 'invalid'
}

function readForm(form: FormFields, { headers }: ApiRequest): BodyKind {
  const { model, file } = form
  if (typeof model !== 'string' || typeof file !== 'object') return { kind: 'invalid' }
  const kind = worst([
    listUnspecifiedFields(form).length === 0 ? 'valid' : 'unspecified',
    /boundary=/.test(headers['content-type'] ?? '') ? 'valid' : 'unspecified',
  ])
  return { kind, named: { model } }
}

/** Lists the parameters that the specification does not cover, or whose values it does not, such as -1 tokens. */
export function listUnspecifiedParameters(
  operation: Operation,
  { body }: Pick<ApiRequest, 'body'>,
  form: FormFields | undefined,
): readonly string[] {
  if (operation === 'models') return []
  if (operation === 'transcriptions') return form === undefined ? [] : listUnspecifiedFields(form)
  const parsed = parse(viewBytes(body).toString('utf8'))
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return []
  const rows: readonly Row[] = PARAMETERS[operation]
  return Object.entries(parsed).flatMap(([name, value]: [string, unknown]) => {
    const row = rows.find((one) => one.name === name)
    return row === undefined || kindOfMember(row, value) === 'unspecified' ? [name] : []
  })
}

function listUnspecifiedFields({ model: _model, file, language, ...others }: FormFields): readonly string[] {
  const isUsualFile = typeof file !== 'object' || isUsualAudio(file.bytes)
  return [
    ...(isUsualFile ? [] : ['file']),
    ...(language === undefined || language === 'en' ? [] : ['language']),
    ...Object.keys(others).filter((name) => others[name] !== undefined),
  ]
}

function isUsualAudio(bytes: Uint8Array): boolean {
  return (['wav', 'mp3'] as const).some((format) => viewBytes(bytes).equals(buildAudioFile(format).bytes))
}

function viewBytes(bytes: Uint8Array = new Uint8Array()): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function readJson(operation: 'chat' | 'images' | 'speech', { body, headers }: ApiRequest): BodyKind {
  const bytes = viewBytes(body)
  if (!isUtf8(bytes)) return { kind: 'unspecified' }
  const text = bytes.toString('utf8')
  const parsed = parse(text)
  if (parsed === undefined || parsed === null || Array.isArray(parsed) || typeof parsed !== 'object')
    return { kind: 'invalid' }
  const members: Readonly<Record<string, unknown>> = { ...parsed }
  // JSON can express a lone surrogate, but UTF-8 cannot.
  if (hasLoneSurrogate(parsed)) return { kind: 'invalid' }
  const rows: readonly Row[] = PARAMETERS[operation]
  const names = new Set<string>(rows.map(({ name }) => name))
  const kind = worst([
    ...rows.map((row) => kindOfMember(row, members[row.name])),
    Object.keys(members).every((name) => names.has(name)) ? 'valid' : 'unspecified',
    // The response to JSON with duplicate names, or with 1e1 for an integer, is unspecified.
    hasUsualNotation(text, parsed) ? 'valid' : 'unspecified',
    headers['content-type'] === 'application/json' && bytes.length <= MAX_BODY_BYTES ? 'valid' : 'unspecified',
  ])
  return { kind, named: { model: members['model'] } }
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed()
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLoneSurrogate)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Row = (typeof PARAMETERS)['chat' | 'images' | 'speech'][number]

function kindOfMember({ name, type, required }: Row, value: unknown): RequestKind {
  if (value === undefined) return required ? 'invalid' : 'valid'
  // The specification does not state whether null counts as absent.
  if (value === null) return required ? 'invalid' : 'unspecified'
  if (!isOfType(type, value)) return 'invalid'
  return kindOfValue(name, value)
}

function isOfType(type: Row['type'], value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

function kindOfValue(name: Row['name'], value: unknown): RequestKind {
  switch (name) {
    case 'messages':
      if (!Array.isArray(value) || value.length === 0) return 'unspecified'
      return worst([...value.map(kindOfMessage), value.length <= MAX_MESSAGES ? 'valid' : 'unspecified'])
    case 'temperature':
      return Number(value) >= TEMPERATURE_RANGE.min && Number(value) <= TEMPERATURE_RANGE.max ? 'valid' : 'invalid'
    case 'max_tokens':
      return Number(value) >= 1 && Number(value) <= MAX_MAX_TOKENS ? 'valid' : 'unspecified'
    case 'n':
      return value === 1 ? 'valid' : 'unspecified'
    case 'size':
      return /^\d+x\d+$/.test(String(value)) ? 'unspecified' : 'invalid'
    case 'voice':
      return value === 'alloy' ? 'valid' : 'unspecified'
    case 'prompt':
    case 'input':
      return isMalformedText(value) ? 'invalid' : isPlainText(value) ? 'valid' : 'unspecified'
    case 'model':
    case 'stream':
      return 'valid'
  }
}

function kindOfMessage(message: unknown): RequestKind {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return 'invalid'
  const { role, content, ...others }: Readonly<Record<string, unknown>> = { ...message }
  if (isMalformedText(content)) return 'invalid'
  const isPlain = MESSAGE_ROLES.some((one) => one === role) && isPlainText(content)
  return isPlain && Object.keys(others).length === 0 ? 'valid' : 'unspecified'
}

/** Returns whether a value is a string with a lone surrogate, which UTF-8 cannot express. */
function isMalformedText(value: unknown): boolean {
  return typeof value === 'string' && !value.isWellFormed()
}

function isPlainText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_TEXT_BYTES
}

/** Classifies a model ID. A target may reject a listed model for images or audio. */
function kindOfModel(
  operation: Operation,
  model: unknown,
  { isServed: serves, isListed: lists }: Pick<ClassificationInput, 'isServed' | 'isListed'>,
): RequestKind {
  if (typeof model !== 'string') return 'invalid'
  if (serves(operation, model)) return 'valid'
  return lists(model) ? 'unspecified' : 'invalid'
}

function worst(kinds: readonly RequestKind[]): RequestKind {
  if (kinds.includes('invalid')) return 'invalid'
  return kinds.includes('unspecified') ? 'unspecified' : 'valid'
}
