import type { RequestSpec } from '../http/exchange.ts'
import type { AbortCondition } from '../http/http-options.ts'
import type { KeepAliveConnection } from '../http/keep-alive-connection.ts'
import type { TargetKeys } from '../options/table-options.ts'
import type { ParallelGroup } from './parallel-group.ts'

/** Stands for the key of a target without authentication. Requests omit it. */
export const NO_KEY = 'sk-svc-no-key'

/** Role of a key. It determines the state that the key's account must have. */
export type KeyRole = 'funded' | 'no-credits' | 'limited' | 'small'

/** Key of a request: a key of the tester, no key, or an invalid token. */
export type KeyChoice = KeyRole | 'none' | { readonly invalid: string }

export interface ApiRequest extends RequestSpec {
  readonly key: KeyRole | 'none' | 'invalid'
}

/** Changes to a default request. Omitted options keep the default. */
export interface RequestOptions {
  /** Key for the Authorization header. Default: `funded`. */
  readonly key?: KeyChoice
  /** Additional or replaced header fields by lower-case name. `null` removes a field. */
  readonly headers?: Readonly<Record<string, string | null>>
  readonly rawBody?: string | Uint8Array
  /** If false, the check receives a 429. Default: true, except for keys whose limit or balance a check tests. */
  readonly retryRateLimited?: boolean
  /** Requests that the check sends in parallel with this one. The engine repeats them only together. */
  readonly group?: ParallelGroup
  /** Called when the engine sends the request, after any wait for a rate limit. */
  readonly onSend?: () => void
  /** Keep-alive connection that several requests of a check share. Default: a new connection for each request. */
  readonly connection?: KeepAliveConnection
  /** Decides when the client closes the connection before the end of the response. Default: never. */
  readonly abortWhen?: AbortCondition
}

/** A request that none of the request helpers can build. */
export interface CustomRequest {
  readonly method: string
  /** Path and query relative to the base URL, starting with `/`. */
  readonly path: string
  readonly key: KeyChoice
  /** Header fields by lower-case name. An `authorization` field replaces the header of `key`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export interface FormFile {
  readonly bytes: Uint8Array
  readonly filename: string
  readonly mediaType: string
}

export type FormValue = string | FormFile

/** Fields of a multipart form by name. The request omits undefined fields. */
export type FormFields = Readonly<Record<string, FormValue | undefined>>

/** Builds the Authorization header. There is none without a key of this role, or if the target has no keys. */
export function buildAuthorization(
  choice: KeyChoice,
  keys: TargetKeys,
): { readonly key: ApiRequest['key']; readonly headers: Readonly<Record<string, string>> } {
  if (typeof choice === 'object') return { key: 'invalid', headers: bearer(choice.invalid) }
  const token = choice === 'none' ? undefined : selectKey(choice, keys)
  if (token === undefined) return { key: 'none', headers: {} }
  return { key: choice, headers: token === NO_KEY ? {} : bearer(token) }
}

/** Returns the key of a role. Returns undefined if the tester provided none. */
export function selectKey(role: KeyRole, keys: TargetKeys): string | undefined {
  return keys[role === 'no-credits' ? 'noCredits' : role]
}

export function buildCustomRequest({ method, path, key, headers, body }: CustomRequest, keys: TargetKeys): ApiRequest {
  const authorized = buildAuthorization(key, keys)
  return {
    method,
    path,
    key: authorized.key,
    headers: { ...authorized.headers, ...headers },
    ...(body === undefined ? {} : { body }),
  }
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}
