import {
  MESSAGE_ROLES,
  type Operation,
  OPERATIONS,
  PARAMETERS,
  PATH_PREFIX,
  TEMPERATURE,
} from '../../contract/facts.ts'
import type { ApiRequest, FormFields } from './api-request.ts'
import { audioFile } from './audio.ts'

/**
 * What the document says about a request. `valid`: it follows the tables in every way, and the account may use it.
 * `mistake`: it breaks a rule of the document, or its account has no credits, so that an error response is due.
 * `unspecified`: the document leaves its treatment open.
 */
export type RequestKind = 'valid' | 'mistake' | 'unspecified'

/** A request, and the models that are known to exist. */
export interface ClassifiedRequest {
  readonly request: ApiRequest
  /** The fields of a multipart request. */
  readonly form?: FormFields | undefined
  /** True for a model that the target has to serve for this operation. */
  serves(operation: Operation, model: string): boolean
  /** True for a model that the document or the target lists. */
  lists(model: string): boolean
}

/** Longest text of a plainly valid request, in bytes: the document names no upper bound. */
const MAX_TEXT_BYTES = 8192
/** Largest plainly valid `max_tokens`: the document names no upper bound. */
const MAX_MAX_TOKENS = 1024

/** The operation with this path, whatever the method; undefined for another path. */
export function operationOfPath(path: string): Operation | undefined {
  const bare = path.split('?', 1)[0]
  return OPERATION_NAMES.find((operation) => OPERATIONS[operation].path === bare)
}

const OPERATION_NAMES: readonly Operation[] = ['models', 'chat', 'images', 'transcriptions', 'speech']

/** Classifies a request by the tables of the document alone, never by the response. */
export function requestKind(classified: ClassifiedRequest): RequestKind {
  const { request } = classified
  const operation = operationOfPath(request.path)
  if (operation === undefined) return kindOfUnknownPath(request)
  if (!isAuthorized(request)) return 'mistake'
  if (request.method !== OPERATIONS[operation].method || request.path.includes('?')) return 'unspecified'
  const kind = kindOfBody(operation, classified)
  return kind === 'valid' && operation !== 'models' && request.key === 'no-credits' ? 'mistake' : kind
}

/** A slash at the end is left open, and so are addresses of images. */
function kindOfUnknownPath({ method, path }: ApiRequest): RequestKind {
  const isOpen = path.endsWith('/') || (method === 'GET' && path.startsWith(`${PATH_PREFIX}/images/`))
  return isOpen || !path.startsWith(`${PATH_PREFIX}/`) ? 'unspecified' : 'mistake'
}

function isAuthorized({ key, headers }: ApiRequest): boolean {
  return key !== 'none' && key !== 'invalid' && /^Bearer \S+$/.test(headers['authorization'] ?? '')
}

function kindOfBody(operation: Operation, classified: ClassifiedRequest): RequestKind {
  switch (operation) {
    case 'models':
      return classified.request.body === undefined ? 'valid' : 'unspecified'
    case 'transcriptions':
      return kindOfForm(classified)
    default:
      return kindOfJson(operation, classified)
  }
}

function kindOfForm(classified: ClassifiedRequest): RequestKind {
  const { form, request } = classified
  if (form === undefined) {
    const text = Buffer.from(request.body ?? []).toString('latin1')
    return text.includes('name="model"') && text.includes('name="file"') ? 'unspecified' : 'mistake'
  }
  const { model, file, language, ...others } = form
  if (typeof model !== 'string' || typeof file !== 'object') return 'mistake'
  return worst([
    kindOfModel('transcriptions', model, classified),
    isUsualAudio(file.bytes) && (language === undefined || language === 'en') ? 'valid' : 'unspecified',
    Object.values(others).every((value) => value === undefined) ? 'valid' : 'unspecified',
    /boundary=/.test(request.headers['content-type'] ?? '') ? 'valid' : 'unspecified',
  ])
}

function isUsualAudio(bytes: Uint8Array): boolean {
  return (['wav', 'mp3'] as const).some((format) => Buffer.from(bytes).equals(audioFile(format).bytes))
}

function kindOfJson(operation: 'chat' | 'images' | 'speech', classified: ClassifiedRequest): RequestKind {
  const { body, headers } = classified.request
  const text = Buffer.from(body ?? []).toString('utf8')
  if (!Buffer.from(text).equals(Buffer.from(body ?? []))) return 'unspecified'
  const parsed = parse(text)
  if (parsed === undefined || parsed === null || Array.isArray(parsed) || typeof parsed !== 'object') return 'mistake'
  const members: Readonly<Record<string, unknown>> = { ...parsed }
  // A lone surrogate: JSON can express it, UTF-8 cannot.
  if (hasLoneSurrogate(parsed)) return 'mistake'
  const rows: readonly Row[] = PARAMETERS[operation]
  const names = new Set<string>(rows.map(({ name }) => name))
  return worst([
    ...rows.map((row) => kindOfMember(row, members[row.name])),
    kindOfModel(operation, members['model'], classified),
    Object.keys(members).every((name) => names.has(name)) ? 'valid' : 'unspecified',
    // Unspecified: JSON that JSON.stringify never writes, such as duplicate names or 1e1 for an integer.
    JSON.stringify(parsed) === text ? 'valid' : 'unspecified',
    headers['content-type'] === 'application/json' ? 'valid' : 'unspecified',
  ])
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
  if (value === undefined) return required ? 'mistake' : 'valid'
  // Whether null stands for an absent value is left open.
  if (value === null) return required ? 'mistake' : 'unspecified'
  if (!isOfType(type, value)) return 'mistake'
  return kindOfValue(name, value)
}

function isOfType(type: Row['type'], value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

function kindOfValue(name: Row['name'], value: unknown): RequestKind {
  switch (name) {
    case 'messages':
      return Array.isArray(value) && value.length > 0 ? worst(value.map(kindOfMessage)) : 'unspecified'
    case 'temperature':
      return Number(value) >= TEMPERATURE.lowest && Number(value) <= TEMPERATURE.highest ? 'valid' : 'mistake'
    case 'max_tokens':
      return Number(value) >= 1 && Number(value) <= MAX_MAX_TOKENS ? 'valid' : 'unspecified'
    case 'n':
      return value === 1 ? 'valid' : 'unspecified'
    case 'size':
      return /^\d+x\d+$/.test(String(value)) ? 'unspecified' : 'mistake'
    case 'voice':
      return value === 'alloy' ? 'valid' : 'unspecified'
    case 'prompt':
    case 'input':
      return isMalformedText(value) ? 'mistake' : isPlainText(value) ? 'valid' : 'unspecified'
    case 'model':
    case 'stream':
      return 'valid'
  }
}

function kindOfMessage(message: unknown): RequestKind {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return 'mistake'
  const { role, content, ...others }: Readonly<Record<string, unknown>> = { ...message }
  if (isMalformedText(content)) return 'mistake'
  const isPlain = MESSAGE_ROLES.some((one) => one === role) && isPlainText(content)
  return isPlain && Object.keys(others).length === 0 ? 'valid' : 'unspecified'
}

/** True for text with half a character: JSON can express it, no encoding of the text can. */
function isMalformedText(value: unknown): boolean {
  return typeof value === 'string' && !value.isWellFormed()
}

function isPlainText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_TEXT_BYTES
}

/** Which models serve images and audio is left open, so that a listed one may be refused there. */
function kindOfModel(operation: Operation, model: unknown, { serves, lists }: ClassifiedRequest): RequestKind {
  if (typeof model !== 'string') return 'mistake'
  if (serves(operation, model)) return 'valid'
  return lists(model) ? 'unspecified' : 'mistake'
}

function worst(kinds: readonly RequestKind[]): RequestKind {
  if (kinds.includes('mistake')) return 'mistake'
  return kinds.includes('unspecified') ? 'unspecified' : 'valid'
}
