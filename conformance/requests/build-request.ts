import { type Operation, OPERATIONS } from '../../contract/facts.ts'
import type { TargetKeys } from '../options/table-options.ts'
import { type ApiRequest, buildAuthorization, type FormFields, type RequestOptions } from './api-request.ts'
import { buildAudioFile } from './audio.ts'
import { encodeMultipart } from './multipart.ts'
import type { RequestForm } from './request-forms.ts'
import { SMALL_MAX_TOKENS } from './small-max-tokens.ts'

/** Values that all requests of a check share. */
export interface RequestDefaults {
  readonly model: string
  readonly keys: TargetKeys
  /** Word in the text of each request. Each check has its own word, and all shared requests have the same one. */
  readonly tag: string
  /** Additional fields and audio format that the model requires. Default: the plainest form. */
  readonly form?: RequestForm | undefined
}

export const JSON_OPERATIONS = ['chat', 'images', 'speech'] as const

export type JsonOperation = (typeof JSON_OPERATIONS)[number]

/** Builds a small valid JSON request with documented fields. `fields` override the defaults. */
export function buildJsonRequest(
  operation: JsonOperation,
  basis: RequestDefaults,
  fields: Readonly<Record<string, unknown>>,
  options: RequestOptions,
): ApiRequest {
  const body = JSON.stringify({ ...defaultFields(operation, basis), ...basis.form?.fields, ...fields })
  return buildApiRequest(operation, basis, { 'content-type': 'application/json' }, Buffer.from(body), options)
}

/** Returns the fields of a transcription form. `fields` come first, in their own order, and replace the defaults. */
export function buildFormFields(basis: RequestDefaults, fields: FormFields): FormFields {
  const texts = Object.entries(basis.form?.fields ?? {}).map(([name, value]) => [name, String(value)])
  const file = buildAudioFile(basis.form?.audio ?? 'wav')
  // The first spread determines the order of the fields, and the second one their values.
  return { ...fields, model: basis.model, file, ...Object.fromEntries(texts), ...fields }
}

export function buildFormRequest(basis: RequestDefaults, fields: FormFields, options: RequestOptions): ApiRequest {
  const form = encodeMultipart(fields)
  return buildApiRequest('transcriptions', basis, { 'content-type': form.mediaType }, form.body, options)
}

export function buildListRequest(basis: RequestDefaults, options: RequestOptions): ApiRequest {
  return buildApiRequest('models', basis, {}, undefined, options)
}

function defaultFields(operation: JsonOperation, { model, tag }: RequestDefaults): Record<string, unknown> {
  if (operation === 'chat') {
    return { model, messages: [{ role: 'user', content: `Say hello to ${tag}.` }], max_tokens: SMALL_MAX_TOKENS.usual }
  }
  return operation === 'images' ? { model, prompt: `A grey stone, number ${tag}` } : { model, input: `Hello, ${tag}.` }
}

function buildApiRequest(
  operation: Operation,
  basis: RequestDefaults,
  headers: Readonly<Record<string, string>>,
  usualBody: Uint8Array | undefined,
  options: RequestOptions,
): ApiRequest {
  const authorized = buildAuthorization(options.key ?? 'funded', basis.keys)
  const body = options.rawBody === undefined ? usualBody : Buffer.from(options.rawBody)
  const { method, path } = OPERATIONS[operation]
  return {
    method,
    path,
    key: authorized.key,
    headers: override({ ...authorized.headers, ...headers }, options.headers ?? {}),
    ...(body === undefined ? {} : { body }),
  }
}

function override(
  usual: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const merged = Object.entries({ ...usual, ...changes })
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null))
}
