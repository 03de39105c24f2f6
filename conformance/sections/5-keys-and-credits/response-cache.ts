import { defineSummaryCheck, MAX_EVIDENCE, type SummaryCheck } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { findCachedResponses, getContentKey, getResultId } from '../shared/repeated-responses.ts'

const OWN_RESPONSE: Expectation = { rule: 'response-of-own-key' }

/**
 * Compares the responses to requests without a valid key, or of an account without credits, with those to the same
 * requests with the funded key. A cache that ignores the key sends the latter again, and then all checks of keys and
 * credits show only the cache.
 */
export const responseCacheCheck = defineSummaryCheck({
  id: '5/response-of-another-key',
  requirement: '5/missing-or-invalid',
  title: 'sends no response again to a request with another key',
  operation: 'chat',
  summarize({ exchanges }) {
    const funded = exchanges.filter(({ key, exchange }) => key === 'funded' && expect.isServed(exchange))
    const contents = new Set(funded.map(({ exchange }) => getContentKey(exchange)))
    const ids = new Set(funded.map(({ exchange }) => getResultId(exchange)))
    const others = exchanges.filter(
      ({ kind, key, isFinal, exchange }) =>
        kind === 'invalid' && key !== 'funded' && isFinal && contents.has(getContentKey(exchange)),
    )
    // A served response without an id of its own, such as a list of models, may come from a cache or not.
    const evaluated = others.filter(({ exchange }) => {
      const id = getResultId(exchange)
      return !expect.isServed(exchange) || (id !== undefined && !ids.has(id))
    })
    const findCached = findCachedResponses(funded)
    const repeated = others.flatMap((other): { readonly first: LoggedExchange; readonly other: LoggedExchange }[] => {
      const first = expect.isServed(other.exchange) ? findCached(other) : undefined
      return first === undefined ? [] : [{ first, other }]
    })
    const [shown] = repeated
    if (shown === undefined) {
      return evaluated.length === 0
        ? { outcome: expect.markNoEvidence('recorded-response') }
        : { outcome: expect.pass(OWN_RESPONSE, { kind: 'every-response', responses: evaluated.length }) }
    }
    const params = { repeated: repeated.length, requests: others.length }
    return {
      outcome: {
        ...expect.fail(OWN_RESPONSE, { code: 'response-of-another-key', params }),
        sequence: [shown.first.exchange, shown.other.exchange],
      },
      evidence: repeated.slice(0, MAX_EVIDENCE).flatMap(({ first, other }) => [first, other]),
    }
  },
})

export const responseCacheChecks: readonly SummaryCheck[] = [responseCacheCheck]
