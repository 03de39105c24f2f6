import type { Operation } from '../../contract/facts.ts'
import type { Declaration, Declarations } from '../targets/declarations.ts'
import type { TargetKeys } from '../options/table-options.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Outcome } from '../outcomes/outcome.ts'
import type { CustomRequest, FormValue, RequestOptions } from '../requests/api-request.ts'

/**
 * What a check cannot run without. Where it is missing, the engine does not call `run`: the outcome is `not-testable`, with
 * what to give. `burst` is the tester's consent to exceed a rate limit.
 */
export type Need = 'key' | 'noCreditsKey' | 'limitedKey' | 'smallKey' | 'burst' | `${Operation}Model`

/** Upper bound of what a check sends. The limits of the run and the dry run add these up. */
export interface Cost {
  readonly requests: number
  /** Upper bound of charged chat tokens over all its requests: prompt and completion. */
  readonly chatTokens?: number
  /** Upper bound of further tokens by the model that is charged, for requests that name one or go to another operation. */
  readonly tokensByModel?: Readonly<Record<string, number>>
}

/** One check of one requirement. */
export interface Check {
  /** `<section>/<name>`, stable. */
  readonly id: string
  /** Id of the requirement that it tests, which gives its level and quote. */
  readonly requirement: string
  /** A sentence of the domain in lower case: what holds when it passes. */
  readonly title: string
  /** The operation whose time-outs it shares: after two in a row its remaining checks are not-testable. */
  readonly operation: Operation
  readonly needs: readonly Need[]
  readonly cost: Cost
  /** The cost where it follows from what is declared, or from the requests of a burst; takes the place of `cost`. */
  costWith?(declared: Declarations, limitedBurst: number): Cost
  /** What its target's owner must have declared: without it the check is not planned. */
  readonly declaration?: Declaration
  /** Runs only on demand: `sdk` calls the target with a real client SDK. */
  readonly group?: 'sdk'
  /** Runs when no other check does (a burst that would disturb others). */
  readonly alone?: true
  /**
   * Starts before all other checks, which run while it waits; it calls `context.alone` for the requests that would disturb
   * them. For a check that waits for long.
   */
  readonly first?: true
  run(context: CheckContext): Promise<Outcome>
}

/** Names a check's parts for the type checker; returns it unchanged. */
export function defineCheck(check: Check): Check {
  return check
}

/**
 * What a check works with. The request helpers start from a small valid request with documented fields only
 * (a listed model found to serve the operation, `max_tokens` 16 for chat) and apply `fields` on top; a field set to
 * `undefined` is left out. Every request is recorded as evidence, counted against the budgets and bounded in time and size.
 */
export interface CheckContext {
  /** Keys by role; a check that names one in `needs` finds it set. Never put one in a message. */
  readonly keys: Readonly<Record<keyof TargetKeys, string>>
  /** Model IDs found to serve each operation; a check that names `imagesModel` in `needs` finds it set. */
  readonly models: Readonly<Record<Operation, string>>
  /** `{base_url}` as the document means it: scheme, host and path prefix, without `/v1` and trailing slash. */
  readonly baseUrl: string
  /** A second of audio in a format that the target was found to take: 16-bit mono WAV at 16 kHz where it can be. */
  readonly audio: FormValue
  /** What the owner of the target declares; a check that names its `declaration` finds that set. */
  readonly declared: Declarations
  /** How many parallel requests exceed the limited key's limit. */
  readonly limitedBurst: number
  /** A short text that no other check uses, for recognising one's own answer. */
  nonce(): string
  /** A request that no other function here builds. */
  send(request: CustomRequest): Promise<Exchange>
  /** Bytes as they are, for what no HTTP client would send; `request` says in the evidence what they stand for. */
  sendRaw(bytes: Uint8Array, request: CustomRequest): Promise<Exchange>
  listModels(options?: RequestOptions): Promise<Exchange>
  chat(fields?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<Exchange>
  images(fields?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<Exchange>
  speech(fields?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<Exchange>
  /** Fields are form fields in the order given; `file` is `audio` unless replaced. */
  transcriptions(fields?: Readonly<Record<string, FormValue | undefined>>, options?: RequestOptions): Promise<Exchange>
  /** Waits, in milliseconds; ends early when the run is aborted. */
  wait(ms: number): Promise<void>
  /** Calls `work` while no other check sends; for checks that start first. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
}
