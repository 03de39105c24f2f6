import type { Operation } from '../../../contract/facts.ts'
import {
  type Check,
  type CheckContext,
  defineCheck,
  type Prerequisite,
  calculateMaxCost,
  listPrerequisites,
} from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { ObservedFact } from '../../findings/facts.ts'

/** A request whose response the specification leaves open. */
export interface Observation {
  readonly id: string
  readonly requirement: string
  readonly tried: string
  /** Describes the request in the title. Default: `tried`, which target files and reports contain. */
  readonly inTitle?: string
  readonly operation: Operation
  /** Prerequisites of the check, in addition to the prerequisites of a valid request. */
  readonly needs?: readonly Prerequisite[]
  readonly requests?: number
  /** Maximum tokens of the chat. Default: the tokens of a small chat. */
  readonly chatTokens?: number
  /** Maximum tokens by model. Set only if the check also sends requests of another operation. */
  readonly tokensByModel?: Readonly<Record<string, number>>
  /** Whether the request uses the no-credits key. See `inTurn` of `Check`. */
  readonly inTurn?: true
  request(context: CheckContext): Promise<Exchange>
  /** Describes the response in the report. Without a description, the report shows the status. */
  observe?(response: Exchange): ObservedFact | undefined
}

/** Defines a check that sends one request and reports the response as an observation. */
export function defineObservationCheck({
  id,
  requirement,
  tried,
  inTitle = tried,
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
    title: `the handling of ${inTitle}`,
    operation,
    needs: [...listPrerequisites(operation), ...needs],
    cost: {
      ...calculateMaxCost(operation, requests),
      ...(chatTokens === undefined ? {} : { chatTokens }),
      ...(tokensByModel === undefined ? {} : { tokensByModel }),
    },
    ...(inTurn === undefined ? {} : { inTurn }),
    async run(context) {
      const response = await request(context)
      // The no-credits key never has credits. For other keys, a 402 means that the account has a problem.
      if (needs.includes('no-credits') && response.error === undefined && response.status === 402) {
        return expect.observeFact({ kind: 'response', actualStatus: 402 }, tried)
      }
      return expect.observe(response, { tried, ...(observe === undefined ? {} : { observe }) })
    },
  })
}

/** Encodes text as Latin-1, so that non-ASCII characters become invalid UTF-8. */
export function encodeLatin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

/** Builds the JSON body of a small chat with `members` verbatim, because `JSON.stringify` cannot write some. */
export function buildChatJson({ models, smallFields }: CheckContext, members = ''): string {
  const messages = [{ role: 'user', content: 'Say hello.' }]
  const others = Object.entries(smallFields).filter(([name]) => !members.includes(`"${name}"`))
  const usual = JSON.stringify({ model: models.chat, messages, ...Object.fromEntries(others) })
  return members === '' ? usual : `${usual.slice(0, -1)},${members}}`
}
