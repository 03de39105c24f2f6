import type { Operation } from '../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck, type Need } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import type { ObservedFact } from '../outcomes/observed-facts.ts'
import { boundCost, listNeeds } from './operation.ts'

/** A request about unspecified behaviour. */
export interface Observation {
  readonly id: string
  readonly requirement: string
  /** Description of the request for the title and the report, e.g. `max_tokens 0`. */
  readonly tried: string
  readonly operation: Operation
  /** Prerequisites beyond those of a valid request of the operation. */
  readonly needs?: readonly Need[]
  readonly requests?: number
  /** Upper bound of the tokens. Default: that of a small request. */
  readonly chatTokens?: number
  /** Upper bound of the tokens by model, for requests that go to another operation as well. */
  readonly tokensByModel?: Readonly<Record<string, number>>
  /** Whether the request uses the no-credits key: see `inTurn` of `Check`. */
  readonly inTurn?: true
  request(context: CheckContext): Promise<Exchange>
  /** Describes the response. By default, and if it returns undefined, the report shows the status. */
  observe?(response: Exchange): ObservedFact | undefined
}

/** Defines a check that sends one request and reports the response. */
export function defineObservationCheck({
  id,
  requirement,
  tried,
  operation,
  needs = [],
  requests = 1,
  chatTokens,
  tokensByModel,
  inTurn,
  request,
  observe,
}: Observation): Check {
  return defineCheck({
    id,
    requirement,
    title: `the handling of ${tried}`,
    operation,
    needs: [...listNeeds(operation), ...needs],
    cost: {
      ...boundCost(operation, requests),
      ...(chatTokens === undefined ? {} : { chatTokens }),
      ...(tokensByModel === undefined ? {} : { tokensByModel }),
    },
    ...(inTurn === undefined ? {} : { inTurn }),
    async run(context) {
      const response = await request(context)
      // For the no-credits key, a 402 is an observation and not a problem of the account.
      if (needs.includes('noCreditsKey') && response.error === undefined && response.status === 402) {
        return expect.observedFact({ kind: 'response', actualStatus: 402 }, tried)
      }
      return expect.observed(response, { tried, ...(observe === undefined ? {} : { observe }) })
    },
  })
}

/** Encodes text as Latin-1, so that characters beyond ASCII become invalid UTF-8. */
export function encodeLatin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

/** Builds the JSON text of a small chat with these members verbatim, for JSON that `JSON.stringify` never writes. */
export function buildChatJson(context: CheckContext, members: string): string {
  return `{"model":${JSON.stringify(context.models.chat)},"messages":[{"role":"user","content":"Say hello."}],${members}}`
}
