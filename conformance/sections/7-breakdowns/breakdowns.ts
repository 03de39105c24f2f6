import type { Operation } from '../../../contract/facts.ts'
import { type AnyCheck, defineSummaryCheck, type SummaryOutcome } from '../../engine/check.ts'
import { listUnspecifiedParameters } from '../../requests/classify-request.ts'
import type { LoggedExchange, RunLog } from '../../traffic/run-log.ts'
import { hasInvalidUtf8, hasLargeBody, isStreamingRequest } from '../../http/request-body.ts'
import { hasBrokenDown } from '../../http/breakdown.ts'
import type { Exchange } from '../../http/exchange.ts'
import { hasErrorBody, hasServerError } from '../../http/stream-error.ts'
import * as expect from '../../findings/expect.ts'
import type { RecordedFlake } from '../../findings/fact-params.ts'
import { UNKNOWN_MODEL } from '../7-errors/errors.ts'
import { findBreakdownIncidents } from './breakdown-incidents.ts'
import { findPoison } from './poison.ts'
import { rejectionsCheck } from './rejections.ts'
import {
  type Distinguish,
  evidenceOf,
  groupRequests,
  listSentRequests,
  MAX_FLAKES_PERCENT,
  mayBeFlakes,
  type RequestGroup,
  type SentRequest,
} from './sent-requests.ts'
import { forOperations } from '../shared/operation.ts'
import { getMember, getRequestedModel, getRequestJson, getRequestText } from '../shared/response-access.ts'

/*
 * These checks report server-side problems: each 5xx, truncated response and missing response of the run. The engine
 * repeats a request that broke down. If every attempt breaks down, the breakdown check of the operation fails.
 * Otherwise, the request was a flake.
 */

/** Minimum duration of a timed-out request that counts, as a multiple of the operation's slowest response. */
const DEADLINE_FACTOR = 3

/** Minimum duration of a timed-out request that counts if the operation never responded, in milliseconds. */
const MIN_SILENCE_MS = 50_000

/** Returns whether the last attempt and at least one earlier attempt broke down. */
function isBroken({ attempts, last }: SentRequest): boolean {
  const broken = attempts.filter(breaksDown)
  return breaksDown(last) && (broken.length > 1 || (last.parallel !== undefined && attempts.length > 1))
}

/** Returns whether an attempt broke down. A valid request must not get an error with a success status either. */
function breaksDown({ exchange, kind }: LoggedExchange): boolean {
  return hasBrokenDown(exchange) || (kind === 'valid' && hasErrorBody(exchange))
}

function firstBreakdown({ attempts, last }: SentRequest): Exchange {
  return (attempts.find(mayFlake) ?? last).exchange
}

function isFlake({ attempts, last }: SentRequest): boolean {
  return !hasServerError(last.exchange) && attempts.some(mayFlake)
}

/** Returns whether an attempt had a server error, or a timeout of a valid request: other deadlines are short. */
function mayFlake({ exchange, kind }: LoggedExchange): boolean {
  return hasServerError(exchange) && (kind === 'valid' || exchange.error?.kind !== 'timeout')
}

/** Returns the simplest request of each group, followed by all other requests. */
function oneOfEachFirst(groups: readonly RequestGroup[]): SentRequest[] {
  const sorted = groups.map(({ requests }) => simplestFirst(requests))
  return [...sorted.flatMap((requests) => requests.slice(0, 1)), ...sorted.flatMap((requests) => requests.slice(1))]
}

/** Moves the request with the shortest body to the front, among those with the model of the first request. */
function simplestFirst(requests: readonly SentRequest[]): SentRequest[] {
  const [first] = requests
  const model = first === undefined ? undefined : getRequestedModel(first.last)
  const ofModel = requests.filter(({ last }) => getRequestedModel(last) === model)
  const [simplest] = ofModel.toSorted((a, b) => bodyBytesOf(a) - bodyBytesOf(b))
  return simplest === undefined ? [] : [simplest, ...requests.filter((one) => one !== simplest)]
}

function bodyBytesOf({ last }: SentRequest): number {
  return last.exchange.request.body?.length ?? 0
}

/** Returns whether no attempt received a byte, and at least one of several waited for `MIN_SILENCE_MS`. */
function gotNoResponse({ attempts }: SentRequest): boolean {
  if (attempts.length < 2) return false
  const hasNoBytes = attempts.every(({ exchange: { status, body } }) => status === 0 && body.length === 0)
  return hasNoBytes && attempts.some(({ exchange: { totalMs } }) => totalMs >= MIN_SILENCE_MS)
}

/**
 * Returns a function that finds what distinguishes a broken request from the successful requests in `completed`. This is
 * that it ran in parallel with others, if the target served such a request alone. It is a large body, or invalid UTF-8,
 * if no request with such a body succeeded. It is `stream` if no stream succeeded, or only streams. It is that the
 * specification does not cover the request, if valid requests succeeded and none of them broke down. Otherwise, it is a
 * role or a parameter that no successful request contains, or the model if none of its requests, or none of its streams,
 * succeeded.
 */
function distinguishFrom(requests: readonly SentRequest[], completed: readonly SentRequest[]): Distinguish {
  const served = completed.filter(({ last: { exchange } }) => exchange.status >= 200 && exchange.status < 300)
  const streams = served.filter(({ last: { exchange } }) => isStreamingRequest(exchange.request))
  // Requests with another method, such as OPTIONS, may succeed although the operation does not work.
  const servesPlain = served.some(
    ({ last: { exchange } }) => exchange.request.method === 'POST' && !isStreamingRequest(exchange.request),
  )
  const servedModels = new Set(served.map(({ last }) => getRequestedModel(last)))
  const streamedModels = new Set(streams.map(({ last }) => getRequestedModel(last)))
  const servesLargeBodies = served.some(({ last }) => hasLargeBody(last.exchange.request))
  const alone = requests.filter(({ last }) => last.parallel === undefined)
  /** Returns whether the target served the request of this kind that ran alone before a group. */
  const servesAlone = ({ startedAtMs, request }: Exchange): boolean => {
    const isStream = isStreamingRequest(request)
    const before = alone.filter(
      ({ last: { exchange } }) =>
        exchange.startedAtMs < startedAtMs && isStreamingRequest(exchange.request) === isStream,
    )
    const [latest] = before.toSorted((a, b) => b.last.exchange.startedAtMs - a.last.exchange.startedAtMs)
    return latest !== undefined && served.includes(latest)
  }
  const servedRoles = new Set(served.flatMap(listRoles))
  const servedParameters = new Set(served.flatMap(listParameters))
  const servesInvalidUtf8 = served.some(({ last }) => hasInvalidUtf8(last.exchange.request))
  if (served.length === 0) return () => ({})
  const servesValid =
    served.some(({ last }) => last.kind === 'valid') &&
    !requests.some((one) => one.last.kind === 'valid' && one.last.parallel === undefined && isBroken(one))
  return ({ last }) => {
    const isStream = isStreamingRequest(last.exchange.request)
    if (last.parallel !== undefined && servesAlone(last.exchange)) return { parallel: last.parallel }
    if (!isStream && streams.length > 0 && !servesPlain) return { stream: false }
    if (!servesLargeBodies && hasLargeBody(last.exchange.request)) return { largeBody: true }
    if (!servesInvalidUtf8 && hasInvalidUtf8(last.exchange.request)) return { invalidUtf8: true }
    if (isStream && streams.length === 0) return { stream: true }
    if (last.kind === 'unspecified' && servesValid) return { uncovered: listUncovered(last) }
    const role = listRoles({ last }).find((one) => !servedRoles.has(one))
    if (role !== undefined) return { role }
    const parameter = listParameters({ last }).find((one) => !servedParameters.has(one))
    if (parameter !== undefined) return { parameter }
    const model = getRequestedModel(last)
    if (typeof model === 'string' && !servedModels.has(model)) return { model }
    if (typeof model === 'string' && isStream && !streamedModels.has(model)) return { stream: true, model }
    return {}
  }
}

function listRoles({ last: { exchange } }: Pick<SentRequest, 'last'>): readonly string[] {
  const messages = getMember(getRequestJson(exchange), 'messages')
  const roles = Array.isArray(messages) ? messages.map((message: unknown) => getMember(message, 'role')) : []
  return roles.filter((role) => typeof role === 'string')
}

function listParameters({ last: { exchange, form } }: Pick<SentRequest, 'last'>): readonly string[] {
  const fields: unknown = form ?? getRequestJson(exchange)
  return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? Object.keys(fields) : []
}

function listUncovered({ operation, exchange, form }: LoggedExchange): readonly string[] {
  return operation === undefined ? [] : listUnspecifiedParameters(operation, exchange.request, form)
}

/** Tells whether a request contains the same mistake as an invalid one, whose check then reports the breakdown. */
function findSameMistakes(invalid: readonly SentRequest[]): (request: SentRequest) => boolean {
  const mistakes = new Set(invalid.flatMap(listMistakes))
  return (request) => listMistakes(request).some((mistake) => mistakes.has(mistake))
}

function listMistakes({ last }: SentRequest): string[] {
  const { method, headers } = last.exchange.request
  const text = getRequestText(last.exchange)
  const isMalformed = text !== '' && last.form === undefined && getRequestJson(last.exchange) === undefined
  return [
    ...(last.key === 'none' && headers['authorization'] === undefined ? [`${method} without a key`] : []),
    ...(getRequestedModel(last) === UNKNOWN_MODEL ? [UNKNOWN_MODEL] : []),
    ...(isMalformed ? [text] : []),
  ]
}

/** Summarizes the requests of an operation that broke down on every attempt and that no other check reports. */
function summarizeBreakdowns(operation: Operation, run: RunLog): SummaryOutcome {
  const requests = listSentRequests(run).filter(({ last }) => last.operation === operation && last.kind !== 'invalid')
  const completed = requests.filter(({ last }) => last.exchange.error === undefined && !breaksDown(last))
  const slowestMs = Math.max(...completed.map(({ last }) => last.exchange.totalMs))
  const isLate = (request: SentRequest): boolean =>
    request.last.exchange.error?.kind === 'timeout' &&
    (completed.length === 0 ? !gotNoResponse(request) : request.last.exchange.totalMs < DEADLINE_FACTOR * slowestMs)
  const invalid = listSentRequests(run).filter(({ last }) => last.operation === operation && last.kind === 'invalid')
  const hasOwnFailure = findSameMistakes(invalid.filter(({ last }) => hasBrokenDown(last.exchange)))
  const late = requests.filter((request) => isLate(request) && !hasOwnFailure(request))
  const broken = requests.filter((request) => isBroken(request) && !isLate(request) && !hasOwnFailure(request))
  if (broken.length > 0) {
    const groups = groupRequests(broken, ({ last }) => last.exchange, distinguishFrom(requests, completed))
    const found = findPoison(run.exchanges.filter((logged) => logged.operation === operation))
    const since =
      found === undefined
        ? {}
        : { since: found.poison.source, ...(found.poison.exchange.wasAborted && { sinceAborted: true as const }) }
    const params = { broken: broken.length, requests: requests.length, by: groups.map(({ group }) => group), ...since }
    const outcome = expect.fail({ rule: 'no-breakdown' }, { code: 'requests-broke-down', params })
    const evidence = evidenceOf(oneOfEachFirst(groups))
    if (found !== undefined) {
      const shown = [found.poison, found.victim]
      return {
        outcome: { ...outcome, sequence: shown.map(({ exchange }) => exchange) },
        evidence: [...shown, ...evidence.filter((logged) => !shown.includes(logged))],
      }
    }
    const parallel = groups[0]?.group.parallel
    return { outcome: parallel === undefined ? outcome : { ...outcome, parallel }, evidence }
  }
  if (late.length > 0 || requests.length === 0) {
    const missing = late.length > 0 ? 'deadline' : 'request-of-operation'
    return { outcome: expect.markNotTestable({ code: 'no-evidence', params: { missing } }), evidence: evidenceOf(late) }
  }
  return { outcome: expect.pass({ rule: 'no-breakdown' }, { kind: 'requests', requests: requests.length }) }
}

const breakdownCheckOfEach = forOperations(
  {
    models: '7/breakdown-models',
    chat: '7/breakdown-chat',
    images: '7/breakdown-images',
    transcriptions: '7/breakdown-transcriptions',
    speech: '7/breakdown-speech',
  },
  (operation, id) =>
    defineSummaryCheck({
      id,
      requirement: '7/500',
      title: `responds to every request of ${operation} without a breakdown, if it is valid or its treatment is unspecified`,
      operation,
      summarize: (run) => summarizeBreakdowns(operation, run),
    }),
)

export const flakesCheck = defineSummaryCheck({
  id: '7/flakes',
  requirement: '7/500',
  title: 'completes requests without flakes: breakdowns that succeed when repeated',
  operation: 'models',
  summarize(run) {
    const requests = listSentRequests(run)
    const found = requests.filter(isFlake)
    if (requests.length === 0) return { outcome: expect.markNoEvidence('request') }
    const maxFlakesPercent = run.maxFlakesPercent ?? MAX_FLAKES_PERCENT
    const expected = { maxFlakesPercent }
    const [first] = found.toSorted((a, b) => firstBreakdown(a).startedAtMs - firstBreakdown(b).startedAtMs)
    if (first === undefined) return { outcome: expect.pass(expected, { kind: 'requests', requests: requests.length }) }
    const incidents = findBreakdownIncidents(run.exchanges).filter(({ requests: numbers }) =>
      found.some(({ last }) => numbers.has(last.request)),
    ).length
    const params = {
      flakes: found.length,
      incidents,
      requests: requests.length,
      by: groupRequests(found, firstBreakdown).map(({ group }) => group),
      first: describeRecorded(first, run),
    }
    const finding = { code: 'requests-flaked', params } as const
    const outcome = mayBeFlakes(incidents, requests.length, run.maxFlakesPercent)
      ? expect.warn(expected, finding, CONSEQUENCE)
      : expect.fail(expected, finding)
    return { outcome, evidence: evidenceOf(found), hasCommand: false }
  },
})

/** Describes a flake by its time and request ID, so that the owner can find it in the target's logs. */
function describeRecorded(flake: SentRequest, { startedAt }: RunLog): RecordedFlake {
  const response = firstBreakdown(flake)
  const repeat = flake.last.exchange
  const id = REQUEST_ID_HEADERS.find((name) => (response.headers[name] ?? '') !== '')
  return {
    endpoint: `${response.request.method} ${response.request.path}`,
    sentAt: new Date(startedAt + response.startedAtMs).toISOString(),
    ...expect.getResponseParams(response),
    ...(id === undefined ? {} : { requestId: `${id}: ${response.headers[id]}` }),
    repeatStatus: repeat.status,
    repeatedAfterMs: Math.round(repeat.startedAtMs - response.startedAtMs),
  }
}

/** Response headers that contain a request ID. Headers of services come before headers of gateways. */
const REQUEST_ID_HEADERS = [
  'x-request-id',
  'request-id',
  'x-correlation-id',
  'x-amzn-requestid',
  'x-amzn-trace-id',
  'x-cloud-trace-context',
  'cf-ray',
  'traceparent',
]

const CONSEQUENCE = 'a client that does not repeat a request after a breakdown shows an error to its user'

export const breakdownChecks: readonly AnyCheck[] = [...breakdownCheckOfEach, flakesCheck, rejectionsCheck]
