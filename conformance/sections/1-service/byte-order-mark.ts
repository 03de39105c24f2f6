import { type AnyCheck, defineSummaryCheck, MAX_EVIDENCE } from '../../engine/check.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'

const EXPECTED: Expectation = { rule: 'no-byte-order-mark' }
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

function isJson({ isFinal, exchange }: LoggedExchange): boolean {
  return isFinal && exchange.error === undefined && exchange.json !== undefined
}

function startsWithMark({ exchange: { body } }: LoggedExchange): boolean {
  return BYTE_ORDER_MARK.equals(body.subarray(0, BYTE_ORDER_MARK.byteLength))
}

function isResult({ kind, exchange }: LoggedExchange): boolean {
  return kind === 'valid' && expect.isServed(exchange)
}

/** Evaluates the first bytes of every JSON response. The suite itself ignores the mark, as many parsers do. */
const byteOrderMarkCheck = defineSummaryCheck({
  id: '1/json-without-mark',
  requirement: '1/json-without-mark',
  title: 'starts no JSON response with a byte order mark',
  operation: 'chat',
  summarize({ exchanges }) {
    const responses = exchanges.filter(isJson)
    const marked = responses.filter(startsWithMark)
    if (marked.length > 0) {
      const deviation = { code: 'wrong-body', params: { problem: 'byte-order-mark' } } as const
      const share = { responses: marked.length, of: responses.length }
      return {
        outcome: expect.addDifference(share, expect.warn(EXPECTED, deviation, CONSEQUENCE)),
        evidence: marked.slice(0, MAX_EVIDENCE),
      }
    }
    const outcome = responses.some(isResult)
      ? expect.pass(EXPECTED, { kind: 'every-response', responses: responses.length })
      : expect.markNoEvidence('recorded-response')
    return { outcome }
  },
})

const CONSEQUENCE =
  'RFC 8259 (section 8.1) forbids the mark in JSON, and some parsers reject it, for example encoding/json of Go'

export const byteOrderMarkChecks: readonly AnyCheck[] = [byteOrderMarkCheck]
