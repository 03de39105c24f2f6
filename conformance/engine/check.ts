import type { Operation } from '../../contract/facts.ts'
import type { Declaration, Declarations } from '../targets/declarations.ts'
import type { TargetKeys } from '../options/table-options.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Outcome } from '../outcomes/outcome.ts'
import type { CustomRequest, FormValue, RequestOptions } from '../requests/api-request.ts'
import type { ModelCatalog } from './model-catalog.ts'
import type { LoggedExchange, RunLog } from './run-log.ts'

/**
 * Prerequisites of a check. If one is missing, the engine does not call `run`: the outcome is `not-testable` and states
 * what to provide. `burst` is the tester's consent to exceed a rate limit.
 */
export type Need = 'key' | 'noCreditsKey' | 'limitedKey' | 'smallKey' | 'burst' | `${Operation}Model`

/** Upper bound of the requests and tokens of a check. The limits of the run and the dry run add these up. */
export interface Cost {
  readonly requests: number
  /** Upper bound of charged chat tokens over all its requests: prompt and completion. */
  readonly chatTokens?: number
  /** Upper bound of further tokens, by charged model, for requests that name a model or use another operation. */
  readonly tokensByModel?: Readonly<Record<string, number>>
}

/** Options of a run that the cost of a check may depend on. */
export interface CostBasis {
  readonly declarations: Declarations
  /** Number of parallel requests that exceeds the rate limit of the limited key. */
  readonly limitedBurst: number
  readonly catalog: ModelCatalog
}

/** A check of one requirement. It sends requests, or evaluates all responses of the run. */
export type AnyCheck = Check | SummaryCheck

/** Checks that run only on request. Each group is an option of the run. */
export type CheckGroup = 'sdk' | 'agents'

/** Properties of all checks. */
interface CheckDefinition {
  /** `<section>/<name>`; never changes. */
  readonly id: string
  /** Id of the requirement under test, which defines level and quote. */
  readonly requirement: string
  /** The behaviour of a target that passes, as a lower-case sentence. */
  readonly title: string
  /**
   * Operation to which time-outs of the check count. After two time-outs in a row, the remaining checks of the
   * operation are not testable.
   */
  readonly operation: Operation
  readonly needs: readonly Need[]
  readonly cost: Cost
  /** Replaces `cost` if the cost depends on declarations, on models, or on the number of requests in a burst. */
  costWith?(basis: CostBasis): Cost
  /**
   * The declaration that the check requires from the target's owner. Without it, the run does not include the check.
   */
  readonly declaration?: Declaration
  /**
   * Whether the check concerns the table in section 2.1. A run against a target with its own models does not include
   * it.
   */
  readonly specifiedModels?: true
  /**
   * Set if the check runs only on request: `sdk` calls the target with a real client SDK, `agents` sends tools and
   * requests structured output. Checks of `agents` run after all others, and their requests have no effect on other
   * checks.
   */
  readonly group?: CheckGroup
  /** Whether the check must run alone, such as a burst that would affect others. */
  readonly alone?: true
  /**
   * Whether the check uses the no-credits key. Such checks run one after another, in parallel with all others: parallel
   * requests with that key could exceed its rate limit.
   */
  readonly inTurn?: true
  /**
   * Whether the check has a long wait. It then starts before all other checks, which run while it waits, and calls
   * `context.alone` for requests that would affect them.
   */
  readonly first?: true
}

/** A check that sends requests. */
export interface Check extends CheckDefinition {
  run(context: CheckContext): Promise<Outcome>
}

/**
 * A check of all responses of the run. The engine calls it once, after all other checks. It sends no request and needs
 * no key or model. Without a response to evaluate, it returns `not-testable`.
 */
export interface SummaryCheck extends CheckDefinition {
  summarize(run: RunLog): Summary
}

/** Outcome of a `SummaryCheck`, with the exchanges of its finding. The command of the report repeats the first one. */
export interface Summary {
  readonly outcome: Outcome
  readonly evidence: readonly LoggedExchange[]
  /** False if a repeated request would probably get another response, so that the report shows no command. */
  readonly hasCommand?: false
}

/** Returns whether the check evaluates all responses of the run. */
export function isSummaryCheck(check: AnyCheck): check is SummaryCheck {
  return 'summarize' in check
}

/** Returns the check unchanged, for type inference. */
export function defineCheck(check: Check): Check {
  return check
}

/** Returns the check unchanged, for type inference. */
export function defineSummaryCheck(check: Omit<SummaryCheck, 'needs' | 'cost'>): SummaryCheck {
  return { ...check, needs: [], cost: { requests: 0 } }
}

/** Requests whose responses several checks evaluate. */
export interface SharedWork {
  send(): Promise<readonly Exchange[]>
  /** Whether other checks can use the responses. */
  isUseful(responses: readonly Exchange[]): boolean
  /** Whether any other request of the run makes the responses outdated. */
  readonly untilNextRequest?: boolean
  /** Whether to send the requests even if shared responses exist. Their responses are shared, too. */
  readonly isFresh?: boolean
}

/** Sends a small valid request of an operation, with changes. */
export interface RequestHelpers {
  listModels(options?: RequestOptions): Promise<Exchange>
  chat(fields?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<Exchange>
  images(fields?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<Exchange>
  speech(fields?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<Exchange>
  /** Sends form fields in the given order. `file` is `audio` unless replaced. */
  transcriptions(fields?: Readonly<Record<string, FormValue | undefined>>, options?: RequestOptions): Promise<Exchange>
}

/**
 * Interface between a check and the engine. The request helpers start from a small valid request with documented fields
 * only: a listed model that serves the operation, and `max_tokens` 16 for chat. They apply `fields` on top and omit a
 * field set to `undefined`. Every request is recorded as evidence, counted against the limits of the run, and bounded
 * in time and size.
 */
export interface CheckContext extends RequestHelpers {
  /** Keys by role. The engine always sets a key that the check names in `needs`. Messages must not contain keys. */
  readonly keys: Readonly<Record<keyof TargetKeys, string>>
  /** Model IDs found for each operation. The engine always sets `imagesModel` if the check names it in `needs`. */
  readonly models: Readonly<Record<Operation, string>>
  /** The models of the target. */
  readonly catalog: ModelCatalog
  /** `{base_url}` of the specification: scheme, host and path prefix, without `/v1` and trailing slash. */
  readonly baseUrl: string
  /** One second of audio in a format that the target accepts: 16-bit mono WAV at 16 kHz if possible. */
  readonly audio: FormValue
  /**
   * Declarations of the target's owner. The engine always sets the declaration that the check names in `declaration`.
   */
  readonly declared: Declarations
  /** Number of parallel requests that exceeds the rate limit of the limited key. */
  readonly limitedBurst: number
  /**
   * Returns the number of parallel requests that the target accepts if it has rejected more, or undefined otherwise.
   */
  parallelLimit(): number | undefined
  /** Returns a short text that no other check uses, to recognize the response to a request. */
  nonce(): string
  /** Sends a request that no other method builds. */
  send(request: CustomRequest): Promise<Exchange>
  /** Sends raw bytes, for requests that no HTTP client sends. `request` describes them in the evidence. */
  sendRaw(bytes: Uint8Array, request: CustomRequest): Promise<Exchange>
  /**
   * The same request helpers, for requests that other checks send too, such as control requests. Reuses a served
   * response that is at most one minute old.
   */
  readonly shared: RequestHelpers & Pick<CheckContext, 'send'>
  /**
   * Returns the responses that a check shared under this name within the last minute. Sends the requests if there are
   * none.
   */
  share(name: string, work: SharedWork): Promise<readonly Exchange[]>
  /** Waits for a number of milliseconds. Ends early when the run is aborted. */
  wait(ms: number): Promise<void>
  /** Calls `work` while no other check sends requests. For checks that start first. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
}
