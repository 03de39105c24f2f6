import type { Operation } from '../../contract/facts.ts'
import type { TargetKeys } from '../options/table-options.ts'
import type { Declarations } from './declarations.ts'
import type { DeclaredModel } from './declared-models.ts'
import type { OptionalPart } from '../options/optional-parts.ts'

/** The deployment under test, with the declarations of its owner. */
export interface Target {
  /** Base address of requests: scheme, host and path prefix, without `/v1` and trailing slash. */
  readonly url: string
  /** `{base_url}` of the specification: differs from `url` behind TLS termination or a port mapping. */
  readonly baseUrl: string
  /** True if the run started the emulator itself. */
  readonly embedded: boolean
  readonly keys: TargetKeys
  /** Sent with every request; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Names of the headers whose values are masked in reports. */
  readonly secretHeaders: readonly string[]
  /** Trusted CA certificates in PEM, instead of those of the system. */
  readonly ca?: string
  /** Accepts any TLS certificate. */
  readonly insecure: boolean
  /** Consent to exceed a rate limit on purpose. */
  readonly allowsBurst: boolean
  /** Number of parallel requests that exceeds the limit of the limited key. */
  readonly limitedBurst: number
  /** Models declared to serve an operation; the others are searched for. */
  readonly models: Readonly<Partial<Record<Operation, string>>>
  /** Models of the deployment in place of those of the specification; undefined if the owner declares none. */
  readonly ownModels?: readonly DeclaredModel[]
  /** Parts of the specification that the owner declares absent, in the order of `PARTS`. */
  readonly notOffered: readonly OptionalPart[]
  readonly declarations: Declarations
  /** Maximum requests per minute of the run, except bursts on the limited key. */
  readonly requestsPerMinute?: number
  /** Share of requests that may break down once; undefined for the default of the check. */
  readonly maxFlakesPercent?: number
}
