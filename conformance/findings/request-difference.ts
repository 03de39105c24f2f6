import type { Operation } from '../../contract/facts.ts'
import type { JsonExcerpt } from './fact-params.ts'

/** Describes how a request differs from the plain request or from its control request. */
export type RequestDifference =
  /** `model` is set if the check sends the request to each model, and only this model has the finding. */
  | { readonly parameter: string; readonly value: JsonExcerpt; readonly model?: string }
  | { readonly parameter: string; readonly omitted: true }
  | { readonly credential: CredentialDefect }
  | { readonly account: 'no-credits'; readonly model?: string }
  /** An invalid body: its text, or a description of its difference from the valid body. */
  | { readonly body: string }
  | { readonly bodyText: string }
  | { readonly header: string; readonly value: string }
  | { readonly method: string; readonly path: string }
  /** Number of parallel requests of the check. The finding concerns one of them. */
  | { readonly parallel: number }
  /** Some recorded responses: all of `model`, and of `operations` if these differ from that of the check. */
  | {
      readonly responses: number
      readonly of: number
      readonly model?: string
      readonly operations?: readonly Operation[]
    }
  /** Describes a different valid form of the request, e.g. `with the file first`. */
  | { readonly variant: string }

/** Kinds of missing or invalid keys in a request. */
export const CREDENTIALS = {
  'no-header': 'no Authorization header',
  'unknown-key': 'an unknown key',
  'revoked-key': 'a revoked key',
  'longer-key': 'a valid key with an extra character',
  'shorter-key': 'a valid key without its last character',
  'other-last-character': 'a valid key with a different last character',
  'other-letter-case': 'a valid key in another letter case',
  'other-header': 'a valid key in another header',
  'empty-token': 'a Bearer header without a token',
  'other-scheme': 'a valid key with the scheme Basic',
  'no-scheme': 'a valid key without a scheme',
  'no-prefix': 'a valid key without its prefix',
  'prefix-in-capitals': 'a valid key with its prefix in capitals',
  'other-prefix': 'a valid key with a different prefix',
  query: 'a valid key in the query',
} as const

export type CredentialDefect = keyof typeof CREDENTIALS
