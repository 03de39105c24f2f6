import type { Operation } from '../../contract/facts.ts'
import type { TargetKeys } from '../options/table-options.ts'
import type { Declarations } from './declarations.ts'

/** The deployment under test, with the declarations of its owner. */
export interface Target {
  /** Where requests go: scheme, host and path prefix, without `/v1` and trailing slash. */
  readonly url: string
  /** `{base_url}` as the document means it: differs from `url` behind TLS termination or a port mapping. */
  readonly baseUrl: string
  /** True when the run started the emulator for itself. */
  readonly embedded: boolean
  readonly keys: TargetKeys
  /** Sent with every request; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Trust in PEM instead of the system's. */
  readonly ca?: string
  /** True accepts any certificate. */
  readonly insecure: boolean
  /** Consent to exceed a rate limit on purpose. */
  readonly allowsBurst: boolean
  /** How many parallel requests exceed the limit of the limited key. */
  readonly limitedBurst: number
  /** Models declared to serve an operation; the others are searched for. */
  readonly models: Readonly<Partial<Record<Operation, string>>>
  readonly declarations: Declarations
  /** The run sends no faster than this; bursts on the limited key apart. */
  readonly requestsPerMinute?: number
}
