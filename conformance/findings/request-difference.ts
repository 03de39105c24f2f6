import type { Operation } from '../../contract/facts.ts'
import type { JsonExcerpt } from './fact-params.ts'
import type { CredentialDefect } from './responses.ts'

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
