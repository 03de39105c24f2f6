import type { SharedWork } from '../traffic/shared-requests.ts'
import type { Operation } from '../../contract/facts.ts'
import type { DeclaredDifference } from '../differences/declared-differences.ts'
import type { Declaration, Declarations } from '../targets/declarations.ts'
import type { TargetKeys } from '../options/table-options.ts'
import type { Exchange } from '../http/exchange.ts'
import type { ObservedValue } from '../findings/observed-value.ts'
import type { Outcome } from '../findings/outcome.ts'
import type { RequestForm } from '../requests/request-forms.ts'
import type { CustomRequest, FormValue, KeyRole, RequestOptions } from '../requests/api-request.ts'
import type { ModelCatalog } from './model-catalog.ts'
import type { Requirement } from './requirement.ts'
import type { BothEnds } from '../upstream/both-ends.ts'
import type { LoggedExchange, RunLog } from '../traffic/run-log.ts'

/** A prerequisite of a check. If it is missing, the outcome is `not-testable`, and states what to provide. */
export type Prerequisite = KeyRole | 'revoked' | `${Operation}Model`

/** Maximum number of requests and tokens of a check. The estimate of a run's cost adds up these numbers. */
export interface CheckCost {
  readonly requests: number
  /** Maximum number of charged chat tokens in all requests of the check: prompt and completion. */
  readonly chatTokens?: number
  /** Maximum number of other charged tokens by model, for requests that name a specific model or do not use chat. */
  readonly tokensByModel?: Readonly<Record<string, number>>
}

/** Inputs of the cost estimate of a check. */
export interface CostBasis {
  readonly declarations: Declarations
  /** Number of parallel requests in a burst that exceeds the rate limit of the limited key. */
  readonly limitedBurst: number
  readonly catalog: ModelCatalog
}

/** A check of one requirement. It sends requests, or evaluates all responses of the run. */
export type AnyCheck = Check | SummaryCheck

/** A group of checks that runs only on request. Each group has an option of the run. */
export type CheckGroup = 'sdk' | 'agents'

interface CheckDefinition {
  /** ID of the form `<section>/<name>`. It never changes. */
  readonly id: string
  /** ID of the requirement under test, which has a level and a quote. */
  readonly requirement: string
  /** Describes the behaviour of a target that passes, as a lower-case sentence without a subject. */
  readonly title: string
  readonly operation: Operation
  readonly needs: readonly Prerequisite[]
  readonly cost: CheckCost
  /** Returns the cost that replaces `cost`, if it depends on declarations, models, or the size of a burst. */
  costWith?(basis: CostBasis): CheckCost
  /** Declaration that the check requires from the target's owner. Without it, the run does not include the check. */
  readonly declaration?: Declaration
  /** Parameter that the check tests. If the target rejects it, other checks do not send it: see `RequestForm`. */
  readonly parameter?: string
  /** Whether the check concerns the models of section 2.1. Runs with declared models do not include it. */
  readonly specifiedModels?: true
  /** Group of a check that runs only on request: with a client SDK, or with tools and structured output, at the end. */
  readonly group?: CheckGroup
  /** Whether the check must run alone, for example because it sends a burst. */
  readonly alone?: true
  /** Whether the check uses the no-credits key. Such checks run one after another, because of its rate limit. */
  readonly inTurn?: true
  /** Whether the check starts before all others, because it waits long. It uses `context.alone` for its requests. */
  readonly first?: true
}

export interface Check extends CheckDefinition {
  run(context: CheckContext): Promise<Outcome>
}

/** A check of all responses of the run. Without a relevant one, it is not testable, for lack of a prerequisite. */
export interface SummaryCheck extends CheckDefinition {
  /** Sends a request that causes a relevant response. The engine calls it only if the run has none. */
  provoke?(context: CheckContext): Promise<Exchange>
  summarize(run: RunLog): SummaryOutcome
}

/** Maximum number of exchanges that most summary checks show. */
export const MAX_EVIDENCE = 3

/** Outcome of a `SummaryCheck`, with its exchanges. The report shows a command that repeats the first exchange. */
export interface SummaryOutcome {
  readonly outcome: Outcome
  /** Default: none. */
  readonly evidence?: readonly LoggedExchange[]
  /** False if a repeated request would probably get a different response. The report then shows no command. */
  readonly hasCommand?: false
}

/** A check of a run, with its requirement. */
export interface PlannedCheck {
  readonly check: AnyCheck
  readonly requirement: Requirement
  /** Value that the target's owner declares for behaviour that the specification leaves open. */
  readonly declared?: ObservedValue
}

export function isSummaryCheck(check: AnyCheck): check is SummaryCheck {
  return 'summarize' in check
}

/** Maximum tokens of a small chat: a prompt of a few words, and a completion of 16 tokens. */
export const SMALL_CHAT_TOKENS = 64

export function listPrerequisites(operation: Operation): readonly Prerequisite[] {
  return operation === 'models' ? ['funded'] : ['funded', `${operation}Model`]
}

/** Returns the maximum cost of small requests of an operation. */
export function calculateMaxCost(operation: Operation, requests: number): CheckCost {
  return operation === 'chat' ? { requests, chatTokens: requests * SMALL_CHAT_TOKENS } : { requests }
}

/** Completes a check. By default, it needs the prerequisites of its operation, and sends one small request. */
export function defineCheck(check: Omit<Check, 'needs' | 'cost'> & Partial<Pick<Check, 'needs' | 'cost'>>): Check {
  return { needs: listPrerequisites(check.operation), cost: calculateMaxCost(check.operation, 1), ...check }
}

/** Completes the definition of a summary check, which by default has no cost and no prerequisites. */
export function defineSummaryCheck(
  check: Omit<SummaryCheck, 'needs' | 'cost'> & Partial<Pick<SummaryCheck, 'needs'>>,
): SummaryCheck {
  const cost = check.provoke === undefined ? { requests: 0 } : calculateMaxCost(check.operation, 1)
  return { needs: [], ...check, cost }
}

/** Functions that send a small valid request of an operation, with changes. */
export interface RequestHelpers {
  listModels(options?: RequestOptions): Promise<Exchange>
  chat(fields?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<Exchange>
  images(fields?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<Exchange>
  speech(fields?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<Exchange>
  /** Sends form fields in the given order. Without a `file`, sends the audio file in `audio`. */
  transcriptions(fields?: Readonly<Record<string, FormValue | undefined>>, options?: RequestOptions): Promise<Exchange>
}

/**
 * Interface between a check and the engine. Each request helper sends a small valid request with documented fields: a
 * listed model that serves the operation and, for chat, `smallMaxTokens`. `fields` replaces fields of this request;
 * `undefined` omits a field. The engine records every request as evidence, counts it towards the limits of the run, and
 * limits its time and size.
 */
export interface CheckContext extends RequestHelpers {
  /** Keys by role. Contains each key that the check names in `needs`. Messages must not contain keys. */
  readonly keys: Readonly<Record<keyof TargetKeys, string>>
  /** Model ID for each operation. The ID is not empty if the check names the model in `needs`. */
  readonly models: Readonly<Record<Operation, string>>
  readonly catalog: ModelCatalog
  /** `{base_url}` of the specification: scheme, host and path prefix, without `/v1` and without a trailing slash. */
  readonly baseUrl: string
  /** `max_tokens` of a small chat: 16, or more if the target rejects 16. The lower bound is unspecified. */
  readonly smallMaxTokens: number
  /** `max_tokens` of a small chat, unless the target rejects it, and the parameter that the target requires. */
  readonly smallFields: RequestForm['fields']
  /** One second of audio in a format that the target accepts: by default, 16-bit mono WAV at 16 kHz. */
  readonly audio: FormValue
  /** Declarations of the target's owner. Contains the declaration that the check names in `declaration`. */
  readonly declared: Declarations
  /** Departures from the specification that the target's owner declares. */
  readonly differences: readonly DeclaredDifference[]
  /** Both ends of the gateway. Present only in the suite for gateways. */
  readonly bothEnds?: BothEnds | undefined
  /** Number of parallel requests in a burst that exceeds the rate limit of the limited key. */
  readonly limitedBurst: number
  /** Returns the number of parallel requests that the target accepts. Undefined without such a limit. */
  parallelLimit(): number | undefined
  /** Returns whether the target sends 429 to each request with the no-credits key, even after the wait that it requires. */
  alwaysLimitsNoCreditsKey(): boolean
  /** Returns whether earlier 429s to different keys show a common limit of all keys, e.g. that of an IP address. */
  hasCommonLimit(): boolean
  /** Returns whether the target has sent a 429 to the funded key, so that a 429 to another key may not concern its account. */
  limitsFundedKey(): boolean
  /** Returns whether the target rejects requests with 429 even at a low rate. */
  rejectsAtAnyRate(): boolean
  /** Returns a short unique string. A check puts it into a request to recognize the response. */
  nonce(): string
  /** Sends a request that none of the request helpers can build. */
  send(request: CustomRequest): Promise<Exchange>
  /** Sends raw bytes, for requests that HTTP clients cannot send. `request` describes the bytes in the evidence. */
  sendRaw(bytes: Uint8Array, request: CustomRequest): Promise<Exchange>
  /** Helpers for requests that other checks also send. They return an earlier response, unless it was no result. */
  readonly shared: RequestHelpers & Pick<CheckContext, 'send'>
  /** Returns the responses that a check shared under this name. If there are none, sends the requests. */
  share(name: string, work: SharedWork): Promise<readonly Exchange[]>
  /** Waits for a number of milliseconds. Ends early when the run is aborted. */
  wait(ms: number): Promise<void>
  /** Calls `work` while no other check sends requests. Only checks with `first` may call this method. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
}
