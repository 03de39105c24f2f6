import type { Operation } from '../../contract/facts.ts'
import type { OptionalPart } from '../options/option-table.ts'
import type { TargetKeys } from '../options/table-options.ts'
import type { DeclaredDifference } from '../differences/declared-differences.ts'
import type { Declarations } from './declarations.ts'
import type { DeclaredModel } from './declared-models.ts'

/** The deployment under test, with the declarations of its owner. */
export interface Target {
  /** Base URL of requests: scheme, host and path prefix, without `/v1` and without a trailing slash. */
  readonly url: string
  /** `{base_url}` of the specification. It differs from `url` behind TLS termination or a port mapping. */
  readonly baseUrl: string
  /** Whether the run started the emulator as its target. */
  readonly embedded: boolean
  readonly keys: TargetKeys
  /** Environment variables to which commands in reports refer, by the role of the key that they contain. */
  readonly keyVariables: Readonly<Record<keyof TargetKeys, string>>
  /** Header fields of every request, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** Names of headers whose values reports mask. */
  readonly secretHeaders: readonly string[]
  /** Trusted CA certificates in PEM format. Default: the certificates that Node trusts. */
  readonly ca?: string | undefined
  readonly insecure: boolean
  /** URL of the proxy for all requests, with its credentials. Undefined for a direct connection. */
  readonly proxy?: string | undefined
  /** Number of parallel requests in a burst that exceeds the rate limit of the limited key. */
  readonly limitedBurst: number
  /** Declared model of each operation. Discovery searches for the models of other operations. */
  readonly models: Readonly<Partial<Record<Operation, string>>>
  /** Models that replace the specified models. Undefined if the owner declares none. */
  readonly ownModels?: readonly DeclaredModel[] | undefined
  /** Optional parts of the specification that the target does not offer, in the order of `OPTIONAL_PARTS`. */
  readonly notOffered: readonly OptionalPart[]
  readonly declarations: Declarations
  readonly differences: readonly DeclaredDifference[]
  /** Maximum requests per minute, except bursts with the limited key. */
  readonly requestsPerMinute?: number | undefined
  /** Maximum percentage of requests that may be flakes. Default: MAX_FLAKES_PERCENT of the breakdown checks. */
  readonly maxFlakesPercent?: number | undefined
}
