import { formatCount } from '../../common/format-count.ts'
import type { ExchangeError } from '../http/exchange.ts'
import type { OptionNameFormatter } from '../options/table-options.ts'
import { CREDENTIALS, type RequestDifference } from './request-difference.ts'
import type { NoResponseParams, RecordedFlake, ResponseParams } from './fact-params.ts'
import { describeFailure } from './failure-phrases.ts'
import { formatExcerpt } from './json-excerpt.ts'

/** How the owner of a target raises the limit of request bodies. */
export const BODY_LIMIT_REMEDY =
  'raise the body limit of the proxy in front of the service (nginx: "client_max_body_size 32m"; Kubernetes ingress-nginx: the annotation "nginx.ingress.kubernetes.io/proxy-body-size: 32m"; Apache: "LimitRequestBody 33554432"; Caddy: "request_body" with "max_size 32MB"; Traefik: maxRequestBodyBytes of the middleware "buffering"), or that of the service itself'

/** Describes why a 2xx response did not serve its request. Undefined if its body shows no reason. */
export function describeFlaw({ isErrorInBody, lacksResult }: ResponseParams): string | undefined {
  if (lacksResult === true) return 'without a result'
  return isErrorInBody === true ? 'with an error in the body' : undefined
}

/** Describes a response in a few words, e.g. `returned 404`. */
export function describeResponse(response: ResponseParams): string {
  const { actualStatus, error, isErrorInStream } = response
  const flaw = describeFlaw(response)
  if (flaw !== undefined) return `returned ${actualStatus} ${flaw}`
  if (isErrorInStream === true) return `returned ${actualStatus}, then reported an error in the stream`
  if (error === undefined) return `returned ${actualStatus}`
  const failure = describeFailure(error, actualStatus)
  return actualStatus === 0 || error === 'timeout' ? failure : `returned ${actualStatus}, then ${failure}`
}

/** Describes an incomplete response. After a timeout of an invalid request, adds the times of both requests. */
export function describeNoResponse(params: NoResponseParams): string {
  const { actualStatus, waitedMs, controlMs = 0 } = params
  if (waitedMs === undefined || actualStatus !== 0) return describeResponse(params)
  const control = controlMs < 1000 ? `${controlMs} ms` : `${(controlMs / 1000).toFixed(1)} s`
  return `sent no response within ${Math.round(waitedMs / 1000)} s, although the control request was served in ${control}`
}

/** Describes a flake by the data with which it can be found in the target's logs. */
export function describeFlake({
  endpoint,
  sentAt,
  requestId,
  repeatStatus,
  repeatedAfterMs,
  ...response
}: RecordedFlake): string {
  const id = requestId === undefined ? '' : ` (${requestId})`
  const repeated = `repeated ${(repeatedAfterMs / 1000).toFixed(1)} s later, it returned ${repeatStatus}`
  return `${endpoint}, sent at ${sentAt}, ${describeResponse(response)}${id}; ${repeated}`
}

/** Descriptions of errors on the tester's side: network, account or limits. */
const TESTER_SIDE: Readonly<Partial<Record<ExchangeError, (name: OptionNameFormatter) => string>>> = {
  'spend-limit': (name) => `the run reached a limit: increase ${name('maxRequests')} or ${name('maxCredits')}`,
  interrupted: () => 'the run was interrupted',
  refused: () => 'the connection was refused',
  dns: () => 'the name of the target did not resolve',
  tls: (name) => `there is no trusted TLS connection to the target: see ${name('ca')} and ${name('insecure')}`,
  'not-tls': () => 'the target does not use TLS, so its URL must start with http, not https',
  'http-version': () => 'the target does not accept HTTP/1.1, which the suite uses',
  'too-large': () => 'the response exceeded the size limit of the suite',
}

/** Describes why the target did not serve a valid request, and what the tester can do. */
export function describeUnservedRequest(
  response: ResponseParams,
  name: OptionNameFormatter,
  subject = 'a valid request was not served: the target',
): string {
  const { actualStatus, error, isErrorInStream, isErrorInBody } = response
  if (error === 'timeout') return `a valid request timed out: increase ${name('timeoutMs')}`
  const reason = error === undefined ? undefined : TESTER_SIDE[error]?.(name)
  if (reason !== undefined) return reason
  if (error === undefined && actualStatus === 429) {
    return `the key stayed rate limited (429): use a key with a higher limit, or reduce ${name('concurrency')}`
  }
  if (error === undefined && actualStatus === 402) {
    return `the account ran out of credits (402): set ${name('keys.funded')} to a key with more`
  }
  const reportsError = isErrorInStream === true || isErrorInBody === true
  if (error === undefined && !reportsError && actualStatus >= 200 && actualStatus < 300) {
    return `a valid request returned ${actualStatus}, but the body contains no part of a result of its operation`
  }
  return `${subject} ${describeResponse(response)}`
}

/** Describes the difference of a request as a phrase that precedes a colon, e.g. `temperature 2.1`. */
export function describeDifference(difference: RequestDifference): string {
  if ('parameter' in difference) {
    if ('omitted' in difference) return `without ${difference.parameter}`
    const isComposite = typeof difference.value === 'object' && difference.value !== null
    const value = `${difference.parameter} ${isComposite ? 'set to ' : ''}${formatExcerpt(difference.value)}`
    return difference.model === undefined ? value : `${difference.model} with ${value}`
  }
  if ('credential' in difference) return CREDENTIALS[difference.credential]
  if ('account' in difference) {
    return difference.model === undefined ? 'the no-credits key' : `${difference.model} with the no-credits key`
  }
  if ('body' in difference) return difference.body
  if ('bodyText' in difference) return `the body ${JSON.stringify(difference.bodyText)}`
  if ('header' in difference) return `${difference.header}: ${difference.value}`
  if ('path' in difference) return `${difference.method} ${difference.path}`
  if ('parallel' in difference) return `one of ${difference.parallel} parallel requests`
  if ('of' in difference) {
    const { responses, of, model } = difference
    const share = responses === of ? 'all' : `${responses} of`
    return `in ${responses > 1 || of > 1 ? `${share} ` : ''}${formatCount(of, 'response')}${model === undefined ? '' : ` of ${model}`}`
  }
  return difference.variant
}

/** Describes a difference as a phrase that follows `served`, e.g. `with max_tokens 16` or `without n`. */
export function describeServedVariant(difference: RequestDifference): string {
  if ('variant' in difference || 'omitted' in difference) return describeDifference(difference)
  return `with ${describeDifference(difference)}`
}
