import { ERROR_STATUSES, OPERATIONS } from '../../../contract/facts.ts'
import { defineSummaryCheck, type SummaryCheck, MAX_EVIDENCE } from '../../engine/check.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import { describeConsequence, ERROR_BODY, findBodyDeviation } from './error-body.ts'

const TABLE: readonly number[] = ERROR_STATUSES.map(({ code }) => code)

/** Returns whether the response reports a client error of the table in section 7, so that it has an error body. */
function isClientError({ kind, isFinal, operation, exchange }: LoggedExchange): boolean {
  const { status, error, request, whole } = exchange
  if (kind !== 'invalid' || !isFinal || operation === undefined) return false
  if (error !== undefined || whole !== undefined) return false
  return request.method === OPERATIONS[operation].method && status < 500 && TABLE.includes(status)
}

interface DeviatingError {
  readonly logged: LoggedExchange
  readonly deviation: Deviation
}

function listDeviating(errors: readonly LoggedExchange[]): DeviatingError[] {
  return errors.flatMap((logged) => {
    const deviation = findBodyDeviation(logged.exchange)
    return deviation === undefined ? [] : [{ logged, deviation }]
  })
}

/**
 * Evaluates the error bodies of all operations other than chat, because gateways often forward each operation to a
 * different service. Other checks report the deviations of chat, so statuses with such a deviation are ignored here.
 */
const errorBodiesEverywhereCheck = defineSummaryCheck({
  id: '7/error-body-everywhere',
  requirement: '7/error-body',
  title: 'sends the error bodies of all operations in the shape that client SDKs expect',
  operation: 'chat',
  summarize({ exchanges }) {
    const errors = exchanges.filter(isClientError)
    const ofChat = listDeviating(errors.filter(({ operation }) => operation === 'chat'))
    const reported = new Set(ofChat.map(({ logged }) => logged.exchange.status))
    const others = errors.filter(({ operation, exchange }) => operation !== 'chat' && !reported.has(exchange.status))
    if (others.length === 0) return { outcome: expect.markNoEvidence('conforming-chat-errors') }
    const deviating = listDeviating(others)
    // Sorts the deviations to make reports comparable, because the order of the responses depends on the speed of the
    // target.
    deviating.sort((a, b) => sortKey(a).localeCompare(sortKey(b)))
    const [first] = deviating
    if (first === undefined) {
      return { outcome: expect.pass(ERROR_BODY, { kind: 'every-response', responses: others.length }) }
    }
    const consequence = describeConsequence(first.logged.exchange, first.deviation)
    const share = { responses: deviating.length, of: others.length }
    return {
      outcome: expect.addDifference(share, expect.warn(ERROR_BODY, first.deviation, consequence)),
      evidence: deviating.slice(0, MAX_EVIDENCE).map(({ logged }) => logged),
    }
  },
})

/** Requests with fewer header fields come first, because their commands are easier to read. */
function sortKey({ logged: { operation, exchange }, deviation }: DeviatingError): string {
  const fields = String(Object.keys(exchange.request.headers).length).padStart(2, '0')
  return `${deviation.code} ${operation} ${exchange.status} ${fields}`
}

export const errorBodiesEverywhereChecks: readonly SummaryCheck[] = [errorBodiesEverywhereCheck]
