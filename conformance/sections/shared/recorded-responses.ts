import { type Operation, OPERATIONS } from '../../../contract/facts.ts'
import { defineSummaryCheck, type SummaryOutcome, type SummaryCheck, MAX_EVIDENCE } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { LoggedExchange, RunLog } from '../../traffic/run-log.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { MissingEvidence } from '../../findings/not-tested.ts'
import { hasUsualNotation } from '../../requests/json-notation.ts'
import type { RequestDifference } from '../../findings/request-difference.ts'
import { getRequestJson, getRequestText } from './response-access.ts'

/** Properties of a JSON body, or fields of a form. */
export type ParsedRequestFields = Readonly<Record<string, unknown>>

/** A complete 2xx response, with the fields of its request. */
export interface LoggedResponse {
  readonly logged: LoggedExchange
  readonly fields: ParsedRequestFields
}

/** A rule for every response of an operation, regardless of the request. */
export interface Invariant {
  readonly id: string
  readonly requirement: string
  readonly title: string
  readonly operation: Operation
  readonly expected: Expectation
  /** Names the clients that fail after a violation, and describes how. Set only if the rule is a convention. */
  readonly consequence?: string
  /** Returns whether the rule applies to the response. */
  concerns(response: LoggedResponse): boolean
  /** Whether the rule also applies to streams that report an error. */
  readonly includesStreamErrors?: true
  /** What the successful responses of the operation lack if the rule applies to none of them. */
  readonly lacking?: MissingEvidence
  /** Returns whether a check of a single field also sends this request, and so reports its deviations. */
  isPlain(response: LoggedResponse): boolean
  find(response: LoggedResponse, run: RunLog): Deviation | undefined
}

/** Defines a check that evaluates all responses of the other checks. It sends no request. */
export function defineInvariantCheck(invariant: Invariant): SummaryCheck {
  const { id, requirement, title, operation } = invariant
  return defineSummaryCheck({
    id,
    requirement,
    title,
    operation,
    summarize: (run) => summarizeResponses(invariant, run),
  })
}

interface Deviating {
  readonly response: LoggedResponse
  readonly deviation: Deviation
}

function summarizeResponses(invariant: Invariant, run: RunLog): SummaryOutcome {
  const { expected } = invariant
  const list = invariant.includesStreamErrors === true ? listCompleteResponses : listSuccessfulResponses
  const successful = list(run, invariant.operation)
  const responses = successful.filter((response) => invariant.concerns(response))
  const deviating = responses.flatMap((response): Deviating[] => {
    const deviation = invariant.find(response, run)
    return deviation === undefined ? [] : [{ response, deviation }]
  })
  // Sorts the deviations, because the order of the responses depends on the speed of the target.
  deviating.sort((a, b) => a.deviation.code.localeCompare(b.deviation.code))
  const first = deviating[0]
  if (responses.length === 0) {
    const missing = successful.length === 0 ? 'recorded-response' : (invariant.lacking ?? 'recorded-response')
    return { outcome: expect.markNoEvidence(missing) }
  }
  if (first === undefined) {
    return { outcome: expect.pass(expected, { kind: 'every-response', responses: responses.length }) }
  }
  const evidence = deviating.slice(0, MAX_EVIDENCE).map(({ response }) => response.logged)
  const plain = responses.filter((response) => invariant.isPlain(response))
  const plainDeviating = deviating.filter(({ response }) => plain.includes(response))
  if (plain.length > 0 && plainDeviating.length === plain.length) {
    const params = { deviation: (plainDeviating[0] ?? first).deviation }
    return { outcome: expect.markNotTestable({ code: 'plain-response-deviates', params }), evidence }
  }
  const { consequence } = invariant
  const share = calculateShare(
    deviating.map(({ response }) => response),
    responses,
  )
  const outcome =
    consequence === undefined
      ? expect.fail(expected, first.deviation)
      : expect.warn(expected, first.deviation, consequence)
  const areParallel = deviating.every(({ response: { logged } }) => logged.parallel !== undefined)
  const parallel = areParallel ? first.response.logged.parallel : undefined
  return {
    outcome: { ...expect.addDifference(share, outcome), ...(parallel === undefined ? {} : { parallel }) },
    evidence,
  }
}

/** Counts the deviating responses, among those of one model and with its name if all of them have it. */
export function calculateShare(
  deviating: readonly LoggedResponse[],
  responses: readonly LoggedResponse[],
): RequestDifference {
  const models = new Set(deviating.map(({ fields }) => fields['model']))
  const [model] = models
  const isOfOneModel = models.size === 1 && typeof model === 'string'
  const compared = isOfOneModel ? responses.filter(({ fields }) => fields['model'] === model) : responses
  const share = { responses: deviating.length, of: compared.length }
  return isOfOneModel && compared.length < responses.length ? { ...share, model } : share
}

/** Lists the complete responses of an operation with a status of 2xx, without streams that report an error. */
export function listSuccessfulResponses(run: RunLog, operation: Operation): LoggedResponse[] {
  return listCompleteResponses(run, operation).filter(({ logged }) => expect.isSuccessful(logged.exchange))
}

/**
 * Lists the complete 2xx responses of an operation. Includes responses to unspecified requests, because each rule
 * selects the responses to which it applies. Omits requests with another method: a target may serve them as another
 * operation, such as a list of stored completions. Omits responses that the run did not keep completely.
 */
function listCompleteResponses({ exchanges }: RunLog, operation: Operation): LoggedResponse[] {
  return exchanges
    .filter((logged) => logged.operation === operation && logged.isFinal && logged.kind !== 'invalid')
    .filter(({ exchange }) => exchange.whole === undefined)
    .filter(({ exchange: { request } }) => request.method === OPERATIONS[operation].method)
    .filter(({ exchange: { status, error } }) => error === undefined && status >= 200 && status < 300)
    .map((logged) => ({ logged, fields: fieldsOf(logged) }))
}

const usualFields = new WeakMap<LoggedExchange['exchange']['request'], ParsedRequestFields>()

function fieldsOf({ form, exchange }: LoggedExchange): ParsedRequestFields {
  if (form !== undefined) return form
  // Each check of the whole run reads the fields of all requests.
  const fields = usualFields.get(exchange.request) ?? readUsualFields(exchange)
  usualFields.set(exchange.request, fields)
  return fields
}

function readUsualFields(exchange: Exchange): ParsedRequestFields {
  const value = getRequestJson(exchange)
  // The specification does not state how a target reads JSON with duplicate names.
  const isUsual = hasUsualNotation(getRequestText(exchange), value, { allowSpace: true })
  return isUsual && typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** Returns whether the request has no fields other than these. */
export function hasOnlyFields(fields: ParsedRequestFields, names: readonly string[]): boolean {
  return Object.keys(fields).every((name) => names.includes(name))
}
