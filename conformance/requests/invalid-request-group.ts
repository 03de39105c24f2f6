import { parseJson } from '../http/decode-body.ts'
import type { ApiRequest, FormFields } from './api-request.ts'
import { findOperationByPath } from './classify-request.ts'

/**
 * What is wrong with an invalid request, or that its treatment is unspecified. A target probably rejects all requests of
 * one group in the same place.
 */
export type InvalidRequestGroup = 'endpoint' | 'body' | 'key' | 'account' | 'parameter' | 'unspecified'

/** Returns the group of an invalid request. If it violates several rules, returns the first group of the type. */
export function groupInvalidRequest(
  { path, key, body }: Pick<ApiRequest, 'path' | 'key' | 'body'>,
  form: FormFields | undefined,
): Exclude<InvalidRequestGroup, 'unspecified'> {
  if (findOperationByPath(path) === undefined) return 'endpoint'
  if (form === undefined && body !== undefined && !isJsonObject(body)) return 'body'
  if (key === 'none' || key === 'invalid') return 'key'
  return key === 'no-credits' ? 'account' : 'parameter'
}

function isJsonObject(body: Uint8Array): boolean {
  const json = parseJson(Buffer.from(body).toString('utf8'))
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}
