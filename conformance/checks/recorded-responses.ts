import type { Operation } from '../../contract/facts.ts'
import { defineSummaryCheck, type Summary, type SummaryCheck } from '../engine/check.ts'
import type { LoggedExchange, RunLog } from '../engine/run-log.ts'
import * as expect from '../outcomes/expect.ts'
import type { Deviation, Difference, Expectation } from '../outcomes/outcome.ts'

/** The members of a JSON body, or the fields of a form. */
export type Fields = Readonly<Record<string, unknown>>

/** A response that was served, with the fields of its request. */
export interface RecordedResponse {
  readonly logged: LoggedExchange
  readonly fields: Fields
}

/** A property that every response of an operation must have, regardless of the request. */
export interface Invariant {
  readonly id: string
  readonly requirement: string
  readonly title: string
  readonly operation: Operation
  readonly expected: Expectation
  /** Clients that depend on the property, and how they fail if it is broken. Only for a convention. */
  readonly consequence?: string
  /** Returns whether the property applies to the response. */
  concerns(response: RecordedResponse): boolean
  /**
   * Returns whether a check of a single field sends the same request. That check reports a deviation in the response.
   */
  isPlain(response: RecordedResponse): boolean
  find(response: RecordedResponse, run: RunLog): Deviation | undefined
}

/** Maximum number of exchanges in the report. */
const MAX_EVIDENCE = 3

/** Defines a check of every response that other checks recorded. It sends no request. */
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
  readonly response: RecordedResponse
  readonly deviation: Deviation
}

function summarizeResponses(invariant: Invariant, run: RunLog): Summary {
  const { expected } = invariant
  const responses = listServedResponses(run, invariant.operation).filter((response) => invariant.concerns(response))
  const deviating = responses.flatMap((response): Deviating[] => {
    const deviation = invariant.find(response, run)
    return deviation === undefined ? [] : [{ response, deviation }]
  })
  // The order of arrival depends on the speed of the target, so the evidence is sorted by code.
  deviating.sort((a, b) => a.deviation.code.localeCompare(b.deviation.code))
  const first = deviating[0]
  if (responses.length === 0) {
    return {
      outcome: expect.notTestable({ code: 'no-evidence', params: { missing: 'recorded-response' } }),
      evidence: [],
    }
  }
  if (first === undefined) {
    return { outcome: expect.passed(expected, { kind: 'every-response', responses: responses.length }), evidence: [] }
  }
  const evidence = deviating.slice(0, MAX_EVIDENCE).map(({ response }) => response.logged)
  const plain = responses.filter((response) => invariant.isPlain(response))
  const plainDeviating = deviating.filter(({ response }) => plain.includes(response))
  if (plain.length > 0 && plainDeviating.length === plain.length) {
    const params = { deviation: (plainDeviating[0] ?? first).deviation }
    return { outcome: expect.notTestable({ code: 'plain-response-deviates', params }), evidence }
  }
  const { consequence } = invariant
  const outcome =
    consequence === undefined
      ? expect.failed(expected, first.deviation)
      : expect.warned(expected, first.deviation, consequence)
  return { outcome: expect.withDifference(differenceOf(deviating, responses), outcome), evidence }
}

/** Returns the number of deviating responses, and the model if only one model sent them. */
function differenceOf(deviating: readonly Deviating[], responses: readonly RecordedResponse[]): Difference {
  const models = new Set(deviating.map(({ response }) => response.fields['model']))
  const [model] = models
  const isOfOneModel = models.size === 1 && typeof model === 'string'
  const compared = isOfOneModel ? responses.filter(({ fields }) => fields['model'] === model) : responses
  const share = { responses: deviating.length, of: compared.length }
  return isOfOneModel && compared.length < responses.length ? { ...share, model } : share
}

/**
 * Lists the complete 2xx responses of an operation. Includes responses to unspecified requests: each invariant selects
 * the ones that it applies to.
 */
export function listServedResponses({ exchanges }: RunLog, operation: Operation): RecordedResponse[] {
  return exchanges
    .filter((logged) => logged.operation === operation && logged.isFinal && logged.kind !== 'invalid')
    .filter(({ exchange: { status, error } }) => error === undefined && status >= 200 && status < 300)
    .map((logged) => ({ logged, fields: fieldsOf(logged) }))
}

function fieldsOf({ form, exchange }: LoggedExchange): Fields {
  if (form !== undefined) return form
  const text = Buffer.from(exchange.request.body ?? []).toString('utf8')
  try {
    const value: unknown = JSON.parse(text)
    // The specification does not state which value applies for duplicate members or other notations of a number.
    const isCanonical = JSON.stringify(value) === text
    return isCanonical && typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Returns whether the request has these fields and no others. */
export function hasOnlyFields(fields: Fields, names: readonly string[]): boolean {
  return Object.keys(fields).every((name) => names.includes(name))
}
