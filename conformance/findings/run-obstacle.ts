import { type Operation, OPERATIONS } from '../../contract/facts.ts'
import type { ExchangeError } from '../http/exchange.ts'
import type { OptionNameFormatter } from '../options/table-options.ts'
import type { KeyRole } from '../requests/api-request.ts'
import { formatExcerpt } from './json-excerpt.ts'
import { describeResponseKind } from './failure-phrases.ts'
import { defineRunFinding, type ParamsOf } from './define.ts'
import type { JsonExcerpt, ResponseParams } from './fact-params.ts'
import { formatCount } from '../../common/format-count.ts'
import { describeResponse } from './responses.ts'

/** Form in which a request can contain a key, other than `Authorization: Bearer <API_KEY>`. */
export type KeyForm = 'lower-case-scheme' | 'no-scheme' | 'other-header'

export interface SuspectedRequest {
  readonly check: string
  readonly method: string
  readonly path: string
}

type Unreachable = { readonly url: string; readonly error: ExchangeError; readonly message: string }

type Death = ResponseParams & {
  readonly answered: number
  /** Requests that the suite aborted shortly before the target stopped responding. */
  readonly aborted?: readonly SuspectedRequest[]
  /** Requests in flight when the target stopped responding. */
  readonly inFlight: readonly SuspectedRequest[]
  /** Requests that got a response shortly before the target stopped responding. */
  readonly completed?: readonly SuspectedRequest[]
  /** Shell command that repeats the request in flight, if there was only one and the suite aborted none. */
  readonly command?: string
}

/** `key` is a fingerprint, `answered` the number of responses before, and `since` the time of the first rejection. */
type LostKey = {
  readonly key: string
  readonly actualStatus: number
  readonly answered: number
  readonly since: string
}

/** Reasons why the engine does not run a check or send a request, or ends the run. */
export const RUN_ENDS = {
  /** `actualStatus` is the status of requests without a key. Absent if none was sent. */
  'key-missing': defineRunFinding<{ readonly key: KeyRole | 'revoked'; readonly actualStatus?: number }>(
    ({ key, actualStatus }, name) => {
      const rejection = actualStatus === undefined ? '' : `, and requests without a key get ${actualStatus}`
      return `${MISSING_KEYS[key]} was given${rejection}: set ${name(KEY_OPTION_NAMES[key])}.`
    },
  ),
  'model-not-searched': defineRunFinding<{ readonly operation: Operation }>(
    ({ operation }) => `The run did not search for a model for ${operation}.`,
  ),
  /** `models` is the number of tried models, and `responses` the distinct statuses and errors. */
  'no-model-found': defineRunFinding<{
    readonly operation: Operation
    readonly models: number
    readonly responses: readonly string[]
  }>(({ operation, models, responses }, name) => {
    // A service that does not offer an operation rejects its requests.
    const isRejected = responses.every((response) => /^4\d\d$/.test(response))
    const advice = isRejected
      ? ` If the target does not offer ${operation}, set ${name('without')} ${operation}. If other models serve it, declare them with --model.`
      : ''
    return `No model serves ${operation}: ${models} ${models === 1 ? 'was' : 'were'} tried (responses: ${responses.map(describeResponseKind).join(', ')}).${advice}`
  }),
  'model-search-timed-out': defineRunFinding<object>(
    (_params, name) => `No model responded in time. Increase ${name('timeoutMs')}.`,
  ),
  'credits-used-up': defineRunFinding<object>(
    (_params, name) =>
      `The account of the funded key ran out of credits: set ${name('keys.funded')} to a key with more.`,
  ),
  'request-limit-reached': defineRunFinding<{ readonly maxRequests: number }>(
    ({ maxRequests }, name) => `The run reached its limit of ${maxRequests} requests. Increase ${name('maxRequests')}.`,
  ),
  'credit-limit-reached': defineRunFinding<{ readonly maxCredits: number }>(
    ({ maxCredits }, name) =>
      `The run reached its spend limit of ${maxCredits} credits. Increase ${name('maxCredits')}.`,
  ),
  'model-price-unknown': defineRunFinding<{ readonly model: string }>(
    ({ model }, name) =>
      `The price of the model ${model} is unknown, so ${name('maxCredits')} cannot be enforced: declare its price in models of a target file, or omit ${name('maxCredits')}.`,
  ),
  /** `isStream` is true if only streams of the operation timed out. */
  'operation-timed-out': defineRunFinding<{
    readonly operation: Operation
    readonly isStream?: true
    readonly timeoutMs: number
  }>(({ operation, isStream, timeoutMs }, name) => {
    const { method, path } = OPERATIONS[operation]
    if (isStream === true) {
      return `Streams of ${method} ${path} did not end: nothing arrived within the timeout of ${describeSeconds(timeoutMs)} s. Increase ${name('timeoutMs')}.`
    }
    return `${method} ${path} sent no response within ${describeSeconds(timeoutMs)} s twice in a row. Increase ${name('timeoutMs')}.`
  }),
  /** `isOutage`: the operation broke down for a request of this check, and for the control request after it. */
  'operation-broke-down': defineRunFinding<
    ResponseParams & {
      readonly operation: Operation
      readonly isStream?: true
      readonly isOutage?: true
    }
  >(({ operation, isStream, isOutage, ...response }) => {
    const { method, path } = OPERATIONS[operation]
    if (isOutage === true)
      return `${method} ${path} was down: it ${describeResponse(response)}, even for a valid request that it had served before.`
    const requests = isStream === true ? 'requests for a stream' : 'requests'
    return `The run stopped sending ${requests} to ${method} ${path}, which ${describeResponse(response)} several times in a row, even for repeated requests.`
  }),
  'rate-limited': defineRunFinding<{ readonly retryAfterMs: number }>(
    ({ retryAfterMs }, name) =>
      `The target kept returning 429${retryAfterMs === 0 ? '' : `, with Retry-After: ${Math.ceil(retryAfterMs / 1000)} s`}. Use a key with a higher limit, or reduce ${name('concurrency')} to 1.`,
  ),
  'invalid-keys-rate-limited': defineRunFinding<object>(
    () =>
      'The target kept returning 429 to requests with an invalid key or without a key, so their status cannot be tested. Exempt this machine from the limit on invalid keys, and run again.',
  ),
  'run-interrupted': defineRunFinding<object>(() => 'The run was interrupted.'),
  'time-limit-reached': defineRunFinding<object>(
    (_params, name) => `The run reached its time limit. Increase ${name('maxSeconds')}.`,
  ),
  'target-unreachable': defineRunFinding<Unreachable>(describeUnreachable),
  'target-down': defineRunFinding<ResponseParams & { readonly url: string }>(({ url, ...response }, name) =>
    response.error === 'timeout'
      ? `All requests to ${url} timed out, even when repeated.\nIs the target slow? Increase ${name('timeoutMs')}.`
      : `The target is down: ${url} ${describeResponse(response)} to every request, even when repeated.\nIs the service behind it running?`,
  ),
  'target-redirects': defineRunFinding<{
    readonly url: string
    readonly actualStatus: number
    readonly location: string
  }>(
    ({ url, actualStatus, location }, name) =>
      `${url} redirects every request (${actualStatus}${location === '' ? '' : ` to ${location}`}): this is not the API. The suite does not follow redirects.\nIs the base URL right, and does a gateway need a header (${name('headers')})?`,
  ),
  'target-is-not-the-api': defineRunFinding<{ readonly url: string; readonly actualStatus: number }>(
    ({ url, actualStatus }) => `${url} returns HTML (${actualStatus}): this is not the API.\nIs the base URL right?`,
  ),
  'target-rejects-everything': defineRunFinding<{
    readonly url: string
    readonly actualStatus: number
    readonly text: JsonExcerpt
  }>(
    ({ url, actualStatus, text }) =>
      `${url} returns ${actualStatus} with the same text for the list of models and for a chat: ${formatExcerpt(text)}.\nIs this the API, and is the base URL right?`,
  ),
  'target-rejects-host': defineRunFinding<{
    readonly url: string
    readonly actualStatus: number
    readonly text?: JsonExcerpt
  }>(
    ({ url, actualStatus, text }, name) =>
      `${url} rejects the host name ${new URL(url).host} (${actualStatus}${text === undefined ? '' : `: ${formatExcerpt(text)}`}).\nSet ${name('url')} to the address that clients use, and configure each proxy in front of the service to forward the header Host (nginx: "proxy_set_header Host $http_host", Apache: "ProxyPreserveHost On"). See docs/reference/troubleshooting.md for other proxies.`,
  ),
  /** `answered` is the number of responses before. `actualStatus` is 0 for a closed connection. */
  'target-blocked': defineRunFinding<{ readonly answered: number; readonly actualStatus?: number }>(
    ({ answered, actualStatus = 403 }) =>
      `The target blocked the suite after ${formatCount(answered, 'response')}: it ${actualStatus === 0 ? 'closes the connection' : `returns ${actualStatus}`} even for requests that it served before. A firewall may treat requests with invalid keys or unusual bodies as an attack: exempt this machine from its rules, and run again.${actualStatus === 403 ? ' The funded key may also have expired.' : ''}`,
  ),
  'target-died': defineRunFinding<Death>(describeDeath),
  /** `acceptedForm` is a form of the key that the target accepts, although it rejects that of section 5. */
  'funded-key-rejected': defineRunFinding<{
    readonly actualStatus: number
    readonly acceptedForm?: KeyForm
  }>(({ actualStatus, acceptedForm }, name) =>
    acceptedForm === undefined
      ? `The target rejected the funded key (${actualStatus} for models and chat): set ${name('keys.funded')} to a valid key${actualStatus === 403 ? `, check its permissions, and whether a gateway needs a header (${name('headers')})` : ''}.`
      : `The target rejected "Authorization: Bearer <API_KEY>" (${actualStatus} for models and chat), but it accepts the funded key ${KEY_FORM_PHRASES[acceptedForm]}. Section 5 requires this header: correct the service, or translate the header in a gateway in front of the service.`,
  ),
  'funded-key-lost': defineRunFinding<LostKey>(describeLostKey),
  'funded-account-empty': defineRunFinding<object>(
    (_params, name) =>
      `The account of the funded key has too few credits (402 for a small chat): set ${name('keys.funded')} to a key with credits.`,
  ),
} as const

export type RunObstacleParams = { readonly [Code in keyof typeof RUN_ENDS]: ParamsOf<(typeof RUN_ENDS)[Code]> }

/** Reason why a check or a request cannot run: a code with its parameters. */
export type RunObstacle = {
  [Code in keyof RunObstacleParams]: { readonly code: Code; readonly params: RunObstacleParams[Code] }
}[keyof RunObstacleParams]

const KEY_FORM_PHRASES: Readonly<Record<KeyForm, string>> = {
  'lower-case-scheme': 'with "bearer" in lower case',
  'no-scheme': 'without the word Bearer',
  'other-header': 'in the header X-API-Key or api-key',
}

/** Formats milliseconds as seconds. From one second on, rounds to whole seconds. */
function describeSeconds(ms: number): number {
  return ms < 1000 ? ms / 1000 : Math.round(ms / 1000)
}

function describeDeath(
  { answered, aborted = [], inFlight, completed = [], command, ...response }: Death,
  name: OptionNameFormatter,
): string {
  const state =
    response.error === 'refused'
      ? 'It has refused connections for several seconds'
      : `For several seconds, it ${describeResponse(response)}`
  const list = (label: string, requests: readonly SuspectedRequest[]): string =>
    requests.length === 0 ? '' : ` ${label}: ${listSuspects(requests)}.`
  const suspects = [...aborted, ...inFlight, ...completed]
  const hint =
    suspects.length === 1
      ? ' Send that request again to see whether it stops the service.'
      : ` To find the request that stops the service, restart the service and run again with ${describeSearch(suspects, name)}.`
  // From outside, a crash behind a proxy and a firewall that closes connections look the same.
  const isClosed = response.error === 'reset' || response.error === 'closed-early'
  const block = isClosed ? ' If the service still runs, a firewall blocks this machine.' : ''
  const limit =
    response.actualStatus === 503
      ? ` A rate limit that returns 503 instead of 429 has this effect: if the service still runs, set ${name('rate')} to a lower rate, and run again.${suspects.length === 0 ? ` If it stopped, ${name('concurrency')} 1 helps to find the request that stops it.` : ''}`
      : ''
  const see = command === undefined ? '' : `\nTo repeat the request in flight: ${command}`
  const causes = `${list('Aborted by the suite shortly before', aborted)}${list('In flight', inFlight)}${list('Completed shortly before', completed)}`
  return `The target stopped responding after ${formatCount(answered, 'response')}. ${state}.${block}${limit}${causes}${suspects.length === 0 ? '' : hint}${see}`
}

/** Maximum number of suspected requests that a sentence names. The command that follows the sentence names all. */
const MAX_NAMED_SUSPECTS = 3

function listSuspects(requests: readonly SuspectedRequest[]): string {
  const named = requests.slice(0, MAX_NAMED_SUSPECTS).map(({ check, method, path }) => `${check} (${method} ${path})`)
  const others = requests.length - named.length
  return `${named.join(', ')}${others > 0 ? ` and ${formatCount(others, 'more request')}` : ''}`
}

function describeLostKey({ key, actualStatus, answered, since }: LostKey, name: OptionNameFormatter): string {
  const reason =
    actualStatus === 402
      ? 'its account has no credits left. Add credits'
      : `it may have expired or been revoked. Set ${name('keys.funded')} to a valid key`
  return `After ${formatCount(answered, 'response')}, at ${since}, the target started to reject the funded key (${key}) with ${actualStatus}: ${reason}, and run again.`
}

function describeSearch(suspects: readonly SuspectedRequest[], name: OptionNameFormatter): string {
  const oneByOne = `${name('concurrency')} 1`
  const sources = [...new Set(suspects.map(({ check }) => check))]
  // A request may belong to a step of the run, such as the preflight, which no option selects.
  return sources.every((source) => source.includes('/')) ? `${oneByOne} ${name('only')} ${sources.join(',')}` : oneByOne
}

const MISSING_KEYS: Readonly<Record<KeyRole | 'revoked', string>> = {
  funded: 'No key',
  'no-credits': 'No key for an account without credits',
  limited: 'No key with a low rate limit',
  small: 'No key for an account with few credits',
  revoked: 'No revoked key',
}

export const KEY_OPTION_NAMES = {
  funded: 'keys.funded',
  'no-credits': 'keys.noCredits',
  limited: 'keys.limited',
  small: 'keys.small',
  revoked: 'keys.revoked',
} as const satisfies Readonly<Record<KeyRole | 'revoked', string>>

function describeUnreachable({ url, error, message }: Unreachable, name: OptionNameFormatter): string {
  switch (error) {
    case 'refused':
    case 'dns':
      return `Cannot reach ${url}: ${message}.\nIs the service running there? ${emulatorHint(url, name)}`
    case 'timeout':
      return `Cannot reach ${url}: ${message}, even when the requests were repeated.\nIs the service overloaded, stuck or still starting, or does a firewall drop the connection?`
    case 'tls':
      return `Cannot connect to ${url}: ${message}.\nIs the scheme right, http or https? For a private certificate authority, set ${name('ca')}, or set ${name('insecure')}.`
    case 'not-tls':
      return `Cannot connect to ${url}: ${message}.\nUse ${url.replace(/^https:/, 'http:')}.`
    case 'http-version':
      return `Cannot use ${url}: ${message}.\nEnable HTTP/1.1 on the server, or give the address of a proxy that accepts it.`
    default:
      return `The server at ${url} did not respond in HTTP: ${message}.\nIs the scheme right, http or https?`
  }
}

function emulatorHint(url: string, name: OptionNameFormatter): string {
  const { hostname, port } = new URL(url)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const start = isHere && port !== '' ? `\`touchstone emulator --port ${port}\` starts the emulator. ` : ''
  return `${start}Without ${name('url')}, the suite tests the built-in emulator.`
}
