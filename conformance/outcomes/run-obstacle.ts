import { type Operation, OPERATIONS } from '../../contract/facts.ts'
import type { ExchangeError } from '../http/exchange.ts'
import type { KeyRole } from '../requests/api-request.ts'
import type { ResponseParams } from './seen.ts'
import { describeResponse } from './sentences/responses.ts'

/** Reasons why the engine does not run a check or send a request, by code. The target alone causes none of them. */
export interface RunObstacleParams {
  'key-missing': { readonly key: KeyRole }
  /** The tester did not consent to requests that exceed a rate limit. */
  'burst-not-allowed': object
  'model-not-searched': { readonly operation: Operation }
  /** `models`: number of models that were tried. `responses`: the distinct statuses and errors of the search. */
  'no-model-found': { readonly operation: Operation; readonly models: number; readonly responses: readonly string[] }
  'model-search-timed-out': object
  'credits-used-up': object
  'request-limit-reached': { readonly maxRequests: number }
  'credit-limit-reached': { readonly maxCredits: number }
  'operation-timed-out': { readonly operation: Operation; readonly timeoutMs: number }
  'rate-limited': { readonly retryAfterMs: number }
  'run-interrupted': object
  'time-limit-reached': object
  'target-unreachable': { readonly url: string; readonly error: ExchangeError; readonly message: string }
  /** Every request before the checks broke down, twice. */
  'target-down': ResponseParams & { readonly url: string }
  /** Every request before the checks was redirected. */
  'target-redirects': { readonly url: string; readonly actualStatus: number; readonly location: string }
  /** The requests before the checks got HTML. */
  'target-is-not-the-api': { readonly url: string; readonly actualStatus: number }
  /** The target stopped responding in the middle of the run. `answered`: responses until then. */
  'target-died': ResponseParams & {
    readonly answered: number
    /** The requests under way at that time, the most suspicious first. */
    readonly underWay: readonly { readonly check: string; readonly method: string; readonly path: string }[]
  }
  'funded-key-rejected': object
  'funded-account-empty': object
}

/** A code with its parameters. */
export type RunObstacle = {
  [Code in keyof RunObstacleParams]: { readonly code: Code; readonly params: RunObstacleParams[Code] }
}[keyof RunObstacleParams]

/** What is missing and what to provide, by code. */
export const RUN_OBSTACLE_SENTENCES: {
  readonly [Code in keyof RunObstacleParams]: (params: RunObstacleParams[Code]) => string
} = {
  'key-missing': ({ key }) => MISSING_KEY[key],
  'burst-not-allowed': () => 'Exceeding a rate limit needs consent: give a key for it with --limited-key, or --burst.',
  'model-not-searched': ({ operation }) => `No model for ${operation} was looked for.`,
  'no-model-found': ({ operation, models, responses }) =>
    `No model serves ${operation}: ${models} were tried (answers: ${responses.join(', ')}).`,
  'model-search-timed-out': () => 'No model answered in time: give it longer with --timeout-ms.',
  'credits-used-up': () => 'The account of --key ran out of credits: give a key with more.',
  'request-limit-reached': ({ maxRequests }) =>
    `The request budget is used up: give more with --max-requests (now ${maxRequests}).`,
  'credit-limit-reached': ({ maxCredits }) =>
    `The credit budget is used up: give more with --max-credits (now ${maxCredits}).`,
  'operation-timed-out': ({ operation, timeoutMs }) => {
    const { method, path } = OPERATIONS[operation]
    return `${method} ${path} gave no answer within ${timeoutMs / 1000} s twice in a row: give it longer with --timeout-ms.`
  },
  'rate-limited': ({ retryAfterMs }) =>
    `The target kept answering 429 (next try in ${Math.ceil(retryAfterMs / 1000)} s): give a key with a higher limit, or --concurrency 1.`,
  'run-interrupted': () => 'The run was interrupted.',
  'time-limit-reached': () => 'The time for this run was used up: give it longer with --max-seconds.',
  'target-unreachable': (params) => describeUnreachable(params),
  'target-down': ({ url, ...response }) =>
    `The target is down: ${url} ${describeResponse(response)} to every request, also when repeated.\nIs the service behind it running?`,
  'target-redirects': ({ url, actualStatus, location }) =>
    `${url} redirects every request (${actualStatus}${location === '' ? '' : ` to ${location}`}): this is not the API. The suite follows no redirects.\nIs the base address right, and does it need a header of a gateway (--header)?`,
  'target-is-not-the-api': ({ url, actualStatus }) =>
    `${url} answers with HTML (${actualStatus}): this is not the API.\nIs the base address right?`,
  'target-died': (params) => describeDeath(params),
  'funded-key-rejected': () =>
    'The target refused the key of --key (401 on models and on chat): give a key that is valid there.',
  'funded-account-empty': () =>
    'The account of --key has too few credits (402 on a small chat): give a key with credits.',
}

/** Describes the obstacle in a sentence. */
export function describeRunObstacle<Code extends keyof RunObstacleParams>(obstacle: {
  readonly code: Code
  readonly params: RunObstacleParams[Code]
}): string {
  return RUN_OBSTACLE_SENTENCES[obstacle.code](obstacle.params)
}

const MISSING_KEY: Readonly<Record<KeyRole, string>> = {
  funded: 'No key was given: give one with --key or TOUCHSTONE_KEY.',
  'no-credits':
    'No key of an account without credits was given: give one with --no-credits-key or TOUCHSTONE_KEY_NO_CREDITS.',
  limited: 'No key with a tight rate limit was given: give one with --limited-key or TOUCHSTONE_KEY_LIMITED.',
  small: 'No key of an account with few credits was given: give one with --small-key or TOUCHSTONE_KEY_SMALL.',
}

function describeDeath({ answered, underWay, ...response }: RunObstacleParams['target-died']): string {
  const [first, ...others] = underWay.map(({ check, method, path }) => `${check} (${method} ${path})`)
  const cause =
    first === undefined ? '' : ` Under way was ${first}${others.length === 0 ? '' : `; also ${others.join(', ')}`}.`
  return `The target stopped responding after ${answered} responses: a list of models ${describeResponse(response)}.${cause}\nSend that request again to see whether it ends the service.`
}

function describeUnreachable({ url, error, message }: RunObstacleParams['target-unreachable']): string {
  switch (error) {
    case 'refused':
    case 'dns':
    case 'timeout':
      return `Nothing answered at ${url} (${message}).\nIs the service running there? ${emulatorHint(url)}`
    case 'tls':
      return `No connection to ${url}: ${message}.\nIs the scheme right, http or https? A certificate of your own needs --ca FILE, or --insecure.`
    default:
      return `Something listens at ${url}, but it does not answer in HTTP (${message}).\nIs the scheme right, http or https?`
  }
}

function emulatorHint(url: string): string {
  const { hostname, port } = new URL(url)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const start = isHere && port !== '' ? `\`touchstone emulator --port ${port}\` starts the emulator. ` : ''
  return `${start}Without --target the suite uses its own emulator.`
}
