import {
  type AnyCheck,
  type CheckContext,
  defineCheck,
  SMALL_CHAT_TOKENS,
  listPrerequisites,
} from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { ObservedFact } from '../../findings/facts.ts'
import { isOutcome, type Outcome } from '../../findings/outcome.ts'
import { explainCharges, streamPriceCheck } from '../2.1-models/prices.ts'
import {
  type ChargedRequest,
  MAX_READS_PER_CHARGE,
  measureCharge,
  measureOnce,
  measurePlainChat,
  readTokens,
  measureSecondCharge,
} from '../shared/balance.ts'
import { everyChargeCheck } from './every-charge.ts'
import { listAbortedStreams } from '../4.2-stream/aborted-streams.ts'
import { buildLongCompletion, LONG_PROMPT_TOKENS } from '../shared/long-completion.ts'
import { UNKNOWN_MODEL } from '../7-errors/errors.ts'
import { forOperations, sendPlainRequest } from '../shared/operation.ts'

const ABORTED_STREAMS = listAbortedStreams(192, 32)
const ABORTED_TOKENS = ABORTED_STREAMS.reduce((sum, { maxTokens }) => sum + maxTokens + LONG_PROMPT_TOKENS, 0)

interface ChargeObservation {
  readonly id: string
  readonly tried: string
  readonly requests: number
  readonly chatTokens: number
  measure(context: CheckContext): Promise<ChargedRequest | Outcome>
  /** Describes the charge for the report. Default: the number of charged units. */
  observe?(context: CheckContext, response: Exchange, units: number): ObservedFact
}

function observeUnits(units: number): ObservedFact {
  return { kind: 'units-charged', units }
}

const OBSERVATIONS: readonly ChargeObservation[] = [
  {
    id: '8/prompt-price',
    tried: 'a chat, by the balance before and after',
    requests: 1,
    chatTokens: 64,
    // Shares the measurement with the check of the model's price, which sends the same chat.
    measure: (context) => measurePlainChat(context, context.models.chat),
    observe({ models, catalog }, response, units) {
      const tokens = readTokens(response)
      const price = catalog.unitsPerToken(models.chat)
      const reading = price !== undefined && tokens ? explainCharges(price, [{ ...tokens, units }]) : undefined
      return reading === undefined ? observeUnits(units) : { kind: 'price', reading }
    },
  },
  {
    id: '8/refused-charge',
    tried: 'a rejected chat (400, 404)',
    requests: 2,
    chatTokens: 0,
    measure: (context) => measureCharge(context, () => sendRejectedChats(context)),
  },
  {
    id: '8/left-charge',
    tried: 'streams that the client aborted',
    requests: 1 + ABORTED_STREAMS.length,
    chatTokens: ABORTED_TOKENS + SMALL_CHAT_TOKENS,
    measure: measureAbortedStreams,
    // The exact charge depends on the progress of the stream, and would differ between runs.
    observe: (_context, _response, units) => (units === 0 ? observeUnits(units) : { kind: 'charged' }),
  },
]

async function sendRejectedChats({ chat }: CheckContext): Promise<Exchange> {
  const first = await chat({ temperature: 2.1 })
  return first.error === undefined && first.status < 500 ? chat({ model: UNKNOWN_MODEL }) : first
}

/** Measures the charge of streams that clients abort at different points. */
async function measureAbortedStreams(context: CheckContext): Promise<ChargedRequest | Outcome> {
  const { chat, nonce, shared } = context
  // Otherwise, the measured charge may include that of the control request before the first stream of a run.
  const control = await shared.chat({ stream: true })
  return measureOnce(context, 'charge of aborted streams', async () => {
    const send = ({ abortWhen, maxTokens }: (typeof ABORTED_STREAMS)[number]): Promise<Exchange> =>
      chat({ messages: buildLongCompletion(nonce()), max_tokens: maxTokens, stream: true }, { abortWhen })
    const streams = await Promise.all(ABORTED_STREAMS.map(send))
    return streams.find(expect.isServed) ?? control
  })
}

/** Expects a charge that the price and `max_tokens` of the aborted streams allow, as a plain chat confirms. */
async function expectWithinBound(context: CheckContext): Promise<Outcome> {
  const price = context.catalog.unitsPerToken(context.models.chat) ?? 0
  const plain = await measurePlainChat(context, context.models.chat)
  if (isOutcome(plain)) return plain
  const tokens = readTokens(plain.response)
  const reading = tokens && explainCharges(price, [{ ...tokens, units: plain.units }])
  if (reading === undefined) return expect.markNoEvidence('prompt-price')
  const charged = await measureAbortedStreams(context)
  if (isOutcome(charged)) return charged
  const maxUnits = price * ABORTED_TOKENS
  const expected: Expectation = { rule: 'charges-within-bound' }
  return charged.units <= maxUnits
    ? expect.pass(expected)
    : expect.fail(expected, {
        code: 'aborts-overcharged',
        params: { streams: ABORTED_STREAMS.length, units: charged.units, maxUnits },
      })
}

export const chargeChecks: readonly AnyCheck[] = [
  streamPriceCheck,
  defineCheck({
    id: '8/left-charge-bound',
    requirement: '8/pricing',
    title: 'charges streams that clients abort for no more than their prompts and max_tokens',
    operation: 'chat',
    declaration: 'balance',
    specifiedModels: true,
    cost: {
      requests: 2 + ABORTED_STREAMS.length + 2 * MAX_READS_PER_CHARGE,
      chatTokens: ABORTED_TOKENS + 2 * SMALL_CHAT_TOKENS,
    },
    alone: true,
    run: expectWithinBound,
  }),
  ...OBSERVATIONS.map(({ id, tried, requests, chatTokens, measure, observe }) =>
    defineCheck({
      id,
      requirement: '8/deduction',
      title: `the charge for ${tried}`,
      operation: 'chat',
      declaration: 'balance',
      cost: { requests: requests + MAX_READS_PER_CHARGE, chatTokens },
      alone: true,
      async run(context) {
        const charged = await measure(context)
        if (isOutcome(charged)) return charged
        const { response, units } = charged
        return expect.observe(response, {
          tried,
          observe: () => observe?.(context, response, units) ?? observeUnits(units),
        })
      },
    }),
  ),
  // Checks of the charges for images and audio, whose responses report no tokens to compare with a price.
  ...forOperations(
    { images: '8/images-charge', transcriptions: '8/transcriptions-charge', speech: '8/speech-charge' },
    (operation, id) =>
      defineCheck({
        id,
        requirement: '8/deduction',
        title: `the charge for a request of ${operation}`,
        operation,
        needs: listPrerequisites(operation),
        declaration: 'balance',
        cost: { requests: 1 + 2 * MAX_READS_PER_CHARGE },
        alone: true,
        async run(context) {
          const charged = await measureCharge(context, () => sendPlainRequest(context, operation))
          if (isOutcome(charged)) return charged
          const second = await measureSecondCharge(context, charged)
          if (typeof second !== 'number') return second
          const seen: ObservedFact =
            charged.units === 0
              ? { kind: 'units-charged', units: 0 }
              : { kind: second > 0 ? 'charged-again' : 'charged' }
          return expect.observe(charged.response, { tried: `a request of ${operation}`, observe: () => seen })
        },
      }),
  ),
  everyChargeCheck,
]
