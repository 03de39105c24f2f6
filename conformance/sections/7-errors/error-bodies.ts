import { isDeepStrictEqual } from 'node:util'
import { OPERATIONS } from '../../../contract/facts.ts'
import {
  type CheckContext,
  defineSummaryCheck,
  MAX_EVIDENCE,
  type Prerequisite,
  type SummaryCheck,
} from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import { type DifferenceName, findDeclaredValue } from '../../differences/declared-differences.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { LoggedExchange, RunLog } from '../../traffic/run-log.ts'
import { UNKNOWN_MODEL } from './errors.ts'
import { describeConsequence, ERROR_BODY, findBodyDeviation } from './error-body.ts'

interface ClientError {
  readonly id: string
  readonly status: number
  readonly needs: readonly Prerequisite[]
  /** Sends a request that gets the status. A single request does not exceed a rate limit. */
  provoke?(context: CheckContext): Promise<Exchange>
}

const CLIENT_ERRORS: readonly ClientError[] = [
  {
    id: '7/error-body-400',
    status: 400,
    needs: ['funded', 'chatModel'],
    provoke: ({ shared }) => shared.chat({ temperature: 2.1 }),
  },
  { id: '7/error-body-401', status: 401, needs: [], provoke: ({ shared }) => shared.listModels({ key: 'none' }) },
  {
    id: '7/error-body-402',
    status: 402,
    needs: ['no-credits', 'chatModel'],
    provoke: ({ shared }) => shared.chat({}, { key: 'no-credits' }),
  },
  {
    id: '7/error-body-404',
    status: 404,
    needs: ['funded', 'chatModel'],
    provoke: ({ shared }) => shared.chat({ model: UNKNOWN_MODEL }),
  },
  { id: '7/error-body-429', status: 429, needs: ['limited'] },
]

/** Selects responses that report an error to a client, also about an unknown endpoint. */
function isClientError({ kind, operation, exchange }: LoggedExchange): boolean {
  const { error, request, whole } = exchange
  if (kind === 'unspecified' || error !== undefined || whole !== undefined) return false
  return operation === undefined || request.method === OPERATIONS[operation].method
}

/** Returns the statuses that the target's owner declares in place of a status of section 7. */
function listDeclaredStatuses(status: number, differences: RunLog['differences']): readonly unknown[] {
  const names = DIFFERENCES_BY_STATUS[status] ?? []
  return names.map((name) => findDeclaredValue(differences, name))
}

const DIFFERENCES_BY_STATUS: Readonly<Record<number, readonly DifferenceName[]>> = {
  400: ['validationErrors'],
  401: ['invalidKeys'],
  402: ['missingCredits'],
  404: ['unknownModels', 'unknownEndpoints'],
}

interface DeviatingError {
  readonly logged: LoggedExchange
  readonly deviation: Deviation
}

function listDeviating(errors: readonly LoggedExchange[], declaredField: string | undefined): DeviatingError[] {
  return errors.flatMap((logged) => {
    const deviation = findBodyDeviation(logged.exchange, declaredField)
    return deviation === undefined ? [] : [{ logged, deviation }]
  })
}

/** Groups errors with the same deviation, the most frequent first, in an order independent of the target's speed. */
function groupByDeviation(deviating: readonly DeviatingError[]): DeviatingError[][] {
  const sorted = deviating.toSorted((a, b) => sortKey(a).localeCompare(sortKey(b)))
  const groups: DeviatingError[][] = []
  for (const one of sorted) {
    const same = groups.find(([first]) => first !== undefined && isSame(first.deviation, one.deviation))
    if (same === undefined) groups.push([one])
    else same.push(one)
  }
  return groups.toSorted((a, b) => b.length - a.length)
}

/** Returns whether two bodies deviate in the same field, whose value may contain different messages. */
function isSame(a: Deviation, b: Deviation): boolean {
  const subjectOf = ({ code, params }: Deviation): unknown => ({
    code,
    subject: 'path' in params ? params.path : params,
  })
  return isDeepStrictEqual(subjectOf(a), subjectOf(b))
}

/** Requests with fewer header fields come first, because their commands are easier to read. */
function sortKey({ logged: { operation, exchange }, deviation }: DeviatingError): string {
  const fields = String(Object.keys(exchange.request.headers).length).padStart(2, '0')
  return `${deviation.code} ${fields} ${operation}`
}

function isOfBurst({ source, key }: LoggedExchange): (other: LoggedExchange) => boolean {
  return (other) => other.source === source && other.key === key
}

/**
 * Checks of the error bodies with one status, in all responses of the run. A gateway may create some of them itself and
 * forward each operation to a different service, so the body of one chosen response does not show the others.
 */
export const errorBodiesChecks: readonly SummaryCheck[] = CLIENT_ERRORS.map(({ id, status, needs, provoke }) =>
  defineSummaryCheck({
    id,
    requirement: '7/error-body',
    title: `sends every error body of a ${status} in the shape that client SDKs expect`,
    operation: 'chat',
    needs,
    ...(provoke === undefined ? {} : { provoke }),
    summarize({ exchanges, differences }) {
      const declaredField = findDeclaredValue(differences, 'errorBodies')
      const expected: Expectation = declaredField === undefined ? ERROR_BODY : { errorField: declaredField }
      const statuses = [status, ...listDeclaredStatuses(status, differences)]
      const errors = exchanges.filter((logged) => statuses.includes(logged.exchange.status) && isClientError(logged))
      if (errors.length === 0) {
        return { outcome: expect.markNotTestable({ code: 'status-not-seen', params: { status } }) }
      }
      const groups = groupByDeviation(listDeviating(errors, declaredField))
      const [first] = groups[0] ?? []
      if (first === undefined) {
        return { outcome: expect.pass(expected, { kind: 'every-response', responses: errors.length }) }
      }
      const same = groups[0] ?? []
      const endpoints = new Set(same.map(({ logged }) => logged.operation))
      const compared = errors.filter(({ operation }) => endpoints.has(operation))
      const operations = [...endpoints].filter((operation) => operation !== undefined)
      const outcome = expect.warn(
        expected,
        first.deviation,
        describeConsequence(first.logged.exchange, first.deviation),
      )
      const share = { responses: same.length, of: compared.length, operations }
      return {
        outcome: {
          ...expect.addDifference(share, outcome),
          // A single request does not exceed a limit.
          ...(status === 429 ? { parallel: exchanges.filter(isOfBurst(first.logged)).length } : {}),
        },
        evidence: groups.flatMap(([one]) => one?.logged ?? []).slice(0, MAX_EVIDENCE),
      }
    },
  }),
)
