import { isDeepStrictEqual } from 'node:util'
import { defineSummaryCheck } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { getContentKey, getResultId } from '../shared/repeated-responses.ts'
import { getRequestJson } from '../shared/response-access.ts'

const UNIQUE_ID: Expectation = { rule: 'unique-id' }

/**
 * Compares the ids of all completions and streams with the funded key, because random ids from a small range differ in
 * most pairs. A client has only the responses of its own account. A cache may return the same completion, including its id, for an identical request. Such an id is not a
 * duplicate.
 */
export const idsDifferCheck = defineSummaryCheck({
  id: '2.3/ids-differ',
  requirement: '2.3/unique-ids',
  title: 'gives all completions and streams of the run different ids',
  operation: 'chat',
  needs: ['funded', 'chatModel'],
  // The run has already sent one chat before the checks.
  provoke: ({ chat, nonce }) => chat({ messages: [{ role: 'user', content: `Say hello to ${nonce()}.` }] }),
  summarize({ exchanges }) {
    const completions = exchanges.flatMap((logged) => {
      const { operation, key, exchange, isFinal } = logged
      const isCompared = operation === 'chat' && key === 'funded' && isFinal && expect.isServed(exchange)
      const id = isCompared ? getResultId(exchange) : undefined
      return id === undefined ? [] : [{ logged, id, content: getContentKey(exchange) }]
    })
    if (completions.length < 2) return { outcome: expect.markNoEvidence('completion-id') }
    const groups = [...Map.groupBy(completions, ({ id }) => id).values()]
    const shared = groups
      .map((group) => [...new Map(group.map((one) => [one.content, one])).values()])
      .filter((group) => group.length > 1)
    const repeated = shared.flatMap(findRepeated).toSorted((a, b) => a.parameters.length - b.parameters.length)[0]
    const [first, second] = repeated?.pair ?? shared.toSorted((a, b) => b.length - a.length)[0] ?? []
    if (first === undefined || second === undefined) {
      const isCached = groups.length < completions.length
      const seen = { kind: isCached ? 'cached-completion' : 'every-response', responses: completions.length } as const
      return { outcome: expect.pass(UNIQUE_ID, seen) }
    }
    const actual = createExcerpt(first.id)
    const outcome =
      repeated === undefined
        ? expect.warn(UNIQUE_ID, { code: 'duplicate-value', params: { path: 'id', actual } }, CONSEQUENCE)
        : expect.warn(
            UNIQUE_ID,
            { code: 'completion-repeated', params: { parameters: repeated.parameters, actual } },
            REPEATED_CONSEQUENCE,
          )
    const share = { responses: shared.reduce((sum, group) => sum + group.length, 0), of: completions.length }
    const { exchange } = first.logged
    const { length } = completions
    return {
      outcome: {
        ...expect.addDifference(share, outcome),
        // If all ids are equal, two requests show this. Otherwise, as many requests as in the run may be necessary.
        sequence:
          share.responses === length ? [exchange, second.logged.exchange] : Array.from({ length }, () => exchange),
      },
      evidence: [first.logged, second.logged],
    }
  },
})

interface Completion {
  readonly logged: LoggedExchange
  readonly id: string
}

/** Two requests that got the same body, and the names of the parameters in which they differ. */
interface Repeated {
  readonly pair: readonly [Completion, Completion]
  readonly parameters: readonly string[]
}

/** Finds the most similar requests of a group with one ID and one body. Completions that differ are no copies. */
function findRepeated([first, ...others]: readonly Completion[]): Repeated[] {
  if (first === undefined || others.some(({ logged }) => logged.exchange.text !== first.logged.exchange.text)) return []
  return others
    .map((other): Repeated => ({
      pair: [first, other],
      parameters: listDifferentParameters(first.logged, other.logged),
    }))
    .filter(({ parameters }) => parameters.length > 0)
}

function listDifferentParameters(a: LoggedExchange, b: LoggedExchange): readonly string[] {
  const [one, other] = [readFields(a), readFields(b)]
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].filter((name) => !isDeepStrictEqual(one[name], other[name]))
}

function readFields({ exchange }: LoggedExchange): Readonly<Record<string, unknown>> {
  const fields = getRequestJson(exchange)
  return typeof fields === 'object' && fields !== null ? { ...fields } : {}
}

const REPEATED_CONSEQUENCE =
  'clients get the completion of another request: the cache key must contain every parameter of a request'

const CONSEQUENCE = 'clients that store completions by id (caches, tracing, chat histories) overwrite one with another'
