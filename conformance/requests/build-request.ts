import { type Operation, OPERATIONS } from '../../contract/facts.ts'
import type { TargetKeys } from '../options/table-options.ts'
import { type ApiRequest, authorize, type FormFields, type RequestOptions } from './api-request.ts'
import { audioFile } from './audio.ts'
import { encodeMultipart } from './multipart.ts'
import type { RequestForm } from './request-forms.ts'

/** Parts of a check's usual request. */
export interface RequestBasis {
  readonly model: string
  readonly keys: TargetKeys
  /** Part of all texts, so that each check sends different texts and a response shows which check it belongs to. */
  readonly tag: string
  /** Default: the plainest form. */
  readonly form?: RequestForm
}

/** Small enough to cost next to nothing, large enough to end within a text. */
const MAX_TOKENS = 16

/** The operations with a JSON body. */
export type JsonOperation = 'chat' | 'images' | 'speech'

/** Builds a small valid JSON request with documented fields only, and applies `fields`. */
export function jsonRequest(
  operation: JsonOperation,
  basis: RequestBasis,
  fields: Readonly<Record<string, unknown>>,
  options: RequestOptions,
): ApiRequest {
  const body = JSON.stringify({ ...usualFields(operation, basis), ...basis.form?.fields, ...fields })
  return finish(operation, basis, { 'content-type': 'application/json' }, Buffer.from(body), options)
}

/** Builds the usual transcription form and applies `fields`, which come first, in the given order. */
export function formFields(basis: RequestBasis, fields: FormFields): FormFields {
  const texts = Object.entries(basis.form?.fields ?? {}).map(([name, value]) => [name, String(value)])
  const file = audioFile(basis.form?.audio ?? 'wav')
  // Spread twice: the first gives the order, the second the values.
  return { ...fields, model: basis.model, file, ...Object.fromEntries(texts), ...fields }
}

/** Builds a multipart transcription request from its fields. */
export function formRequest(basis: RequestBasis, fields: FormFields, options: RequestOptions): ApiRequest {
  const form = encodeMultipart(fields)
  return finish('transcriptions', basis, { 'content-type': form.mediaType }, form.body, options)
}

/** The request that lists the models: no body, no parameters. */
export function listRequest(basis: RequestBasis, options: RequestOptions): ApiRequest {
  return finish('models', basis, {}, undefined, options)
}

function usualFields(operation: JsonOperation, { model, tag }: RequestBasis): Record<string, unknown> {
  if (operation === 'chat') {
    return { model, messages: [{ role: 'user', content: `Say hello to ${tag}.` }], max_tokens: MAX_TOKENS }
  }
  return operation === 'images' ? { model, prompt: `A grey stone, number ${tag}` } : { model, input: `Hello, ${tag}.` }
}

function finish(
  operation: Operation,
  basis: RequestBasis,
  headers: Readonly<Record<string, string>>,
  usualBody: Uint8Array | undefined,
  options: RequestOptions,
): ApiRequest {
  const authorized = authorize(options.key ?? 'funded', basis.keys)
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
