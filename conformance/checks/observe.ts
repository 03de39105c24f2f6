import type { Operation } from '../../contract/facts.ts'
import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext, Need } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { costOf, needsOf } from './operation.ts'

/** One look at a silence of the document. */
export interface Look {
  readonly id: string
  readonly requirement: string
  /** What is tried, as the subject of the report: `max_tokens 0`. */
  readonly tried: string
  readonly operation: Operation
  /** Beyond what a valid request of the operation needs. */
  readonly needs?: readonly Need[]
  readonly requests?: number
  /** Upper bound of the tokens, where the request is no small one. */
  readonly chatTokens?: number
  /** The same by model, for requests that go to another operation as well. */
  readonly tokensByModel?: Readonly<Record<string, number>>
  /** On the key without credits: one at a time, so that the key meets no rate limit instead. */
  readonly alone?: true
  ask(context: CheckContext): Promise<Exchange>
  /** What the answer shows; the status when left out. */
  describe?(answer: Exchange): string
}

/** The check of a look: sends one request and reports what came back. */
export function observationCheck({
  id,
  requirement,
  tried,
  operation,
  needs = [],
  requests = 1,
  chatTokens,
  tokensByModel,
  alone,
  ask,
  describe,
}: Look): Check {
  return defineCheck({
    id,
    requirement,
    title: `what the target does with ${tried}`,
    operation,
    needs: [...needsOf(operation), ...needs],
    cost: {
      ...costOf(operation, requests),
      ...(chatTokens === undefined ? {} : { chatTokens }),
      ...(tokensByModel === undefined ? {} : { tokensByModel }),
    },
    ...(alone === undefined ? {} : { alone }),
    async run(context) {
      const answer = await ask(context)
      // A 402 on a key without credits is an answer about the target, not about the tester's account.
      if (needs.includes('noCreditsKey') && answer.error === undefined && answer.status === 402) {
        return { verdict: 'observed', expected: [], actual: `${tried}: answered 402` }
      }
      return expect.observed(answer, (seen) => `${tried}: ${(describe ?? expect.answered)(seen)}`)
    },
  })
}

/** Text in Latin-1: what stands in it beyond ASCII is no UTF-8. */
export function inLatin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

/** The JSON text of a small chat with members added as they are given, for what `JSON.stringify` never writes. */
export function chatText(context: CheckContext, members: string): string {
  return `{"model":${JSON.stringify(context.models.chat)},"messages":[{"role":"user","content":"Say hello."}],${members}}`
}
