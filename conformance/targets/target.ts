import type { Operation } from '../../contract/facts.ts'
import type { TargetKeys } from '../options/table-options.ts'
import type { Declarations } from './declarations.ts'
import type { DeclaredModel } from './declared-models.ts'
import type { OptionalPart } from '../options/optional-parts.ts'

/** The deployment under test, with the declarations of its owner. */
export interface Target {
  /** Base URL of requests: scheme, host and path prefix, without `/v1` and without a trailing slash. */
  readonly url: string
  /** `{base_url}` of the specification. Differs from `url` behind TLS termination or a port mapping. */
  readonly baseUrl: string
  /** Whether the run started the emulator. */
  readonly embedded: boolean
  readonly keys: TargetKeys
  /** Header fields of every request, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Names of headers whose values are masked in reports. */
  readonly secretHeaders: readonly string[]
  /** Trusted CA certificates in PEM format. Default: those of the system. */
  readonly ca?: string
  /** If true, accepts any TLS certificate. */
  readonly insecure: boolean
  /** Address of the proxy for all requests, with its credentials. Undefined for a direct connection. */
  readonly proxy?: string
  /** If true, checks may exceed a rate limit on purpose. */
  readonly allowsBurst: boolean
  /** Number of parallel requests that exceeds the rate limit of the limited key. */
  readonly limitedBurst: number
  /** Declared model by operation. The suite searches for the others. */
  readonly models: Readonly<Partial<Record<Operation, string>>>
  /** Models that replace those of the specification. Undefined if the owner declares none. */
  readonly ownModels?: readonly DeclaredModel[]
  /** Parts of the specification that the owner declares absent, in the order of `OPTIONAL_PARTS`. */
  readonly notOffered: readonly OptionalPart[]
  readonly declarations: Declarations
  /** Upper bound of the requests per minute, except bursts with the limited key. */
  readonly requestsPerMinute?: number
  /** Accepted share of flaky requests, in percent. Undefined for the default of the check. */
  readonly maxFlakesPercent?: number
}
