import type { RequestSpec } from '../http/exchange.ts'
import type { KeptConnection } from '../http/kept-connection.ts'
import type { TargetKeys } from '../options/table-options.ts'

/** Role of a key, by the tester's account that it belongs to. */
export type KeyRole = 'funded' | 'no-credits' | 'limited' | 'small'

/** The key of a request: one of the tester's, none, or an invalid token. */
export type KeyChoice = KeyRole | 'none' | { readonly invalid: string }

/** A request with the role of its key. */
export interface ApiRequest extends RequestSpec {
  readonly key: KeyRole | 'none' | 'invalid'
}

/** Changes to one request. Omitted options keep the least surprising valid value. */
export interface RequestOptions {
  /** Key of the Authorization header. Default: `funded`. */
  readonly key?: KeyChoice
  /** Header fields that replace or add to the usual ones; `null` removes one. Names in lower case. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** Replaces the JSON body, byte for byte. */
  readonly rawBody?: string | Uint8Array
  /**
   * False returns a 429 to the check instead of waiting for the limit to pass. Default: true, except for keys whose
   * limit or balance is under test.
   */
  readonly retryRateLimited?: boolean
  /** Called when the request is sent, after it has waited for its turn. */
  readonly onTurn?: () => void
  /** A connection shared with other requests of the check. Default: a new one. */
  readonly connection?: KeptConnection
  /** Closes the connection after this number of stream events. */
  readonly leaveAfterEvents?: number
}

/** A request that no helper builds. */
export interface CustomRequest {
  readonly method: string
  /** Path and query relative to the base address, starting with `/`. */
  readonly path: string
  readonly key: KeyChoice
  /** Names in lower case; `authorization` replaces the header of `key`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** A file in a form. */
export interface FormFile {
  readonly bytes: Uint8Array
  readonly filename: string
  readonly mediaType: string
}

/** A form field: text, or a file with its name and media type. */
export type FormValue = string | FormFile

/** The fields of a multipart request. */
export type FormFields = Readonly<Record<string, FormValue | undefined>>

/** Returns the key of a request with its header. A role without a key sends no header. */
export function authorize(
  choice: KeyChoice,
  keys: TargetKeys,
): { readonly key: ApiRequest['key']; readonly headers: Readonly<Record<string, string>> } {
  if (typeof choice === 'object') {
    return { key: 'invalid', headers: bearer(choice.invalid) }
  }
  const token = choice === 'none' ? undefined : selectKey(choice, keys)
  return token === undefined ? { key: 'none', headers: {} } : { key: choice, headers: bearer(token) }
}

/** Returns the key of a role; undefined if the tester gave none. */
export function selectKey(role: KeyRole, keys: TargetKeys): string | undefined {
  return keys[role === 'no-credits' ? 'noCredits' : role]
}

/** Builds the request to send. */
export function customRequest({ method, path, key, headers, body }: CustomRequest, keys: TargetKeys): ApiRequest {
  const authorized = authorize(key, keys)
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
