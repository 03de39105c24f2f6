import { type AnyCheck, type CheckContext, defineCheck, SMALL_CHAT_TOKENS } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { ObservedFact } from '../../findings/facts.ts'
import { isOutcome, type Outcome } from '../../findings/outcome.ts'
import { explainCharges, streamPriceCheck } from '../2.1-models/prices.ts'
import {
  type ChargedRequest,
  MAX_READS_PER_CHARGE,
  measureCharge,
  measurePlainChat,
  readTokens,
} from '../shared/balance.ts'
import { everyChargeCheck } from './every-charge.ts'
import { mediaChargeChecks } from './media-charges.ts'
import { buildLongCompletion } from '../shared/long-completion.ts'
import { UNKNOWN_MODEL } from '../7-errors/errors.ts'

/**
 * `max_tokens` of a stream that is long enough for the client to abort it before its end. This is the default of the
 * specification.
 */
const MANY_TOKENS = 256

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
    tried: 'a stream that the client aborted',
    requests: 2,
    chatTokens: 2 * MANY_TOKENS + SMALL_CHAT_TOKENS,
    async measure(context) {
      // Otherwise, the measured charge may include that of the control request before the first stream of a run.
      await context.shared.chat({ stream: true })
      return await measureCharge(context, () => sendAbortedStream(context))
    },
    // The report does not contain the exact charge. It depends on the progress of the stream, and so differs between
    // runs.
    observe: (_context, _response, units) => (units === 0 ? observeUnits(units) : { kind: 'charged' }),
  },
]

async function sendRejectedChats({ chat }: CheckContext): Promise<Exchange> {
  const first = await chat({ temperature: 2.1 })
  return first.error === undefined && first.status < 500 ? chat({ model: UNKNOWN_MODEL }) : first
}

function sendAbortedStream({ chat, nonce }: CheckContext): Promise<Exchange> {
  return chat(
    { messages: buildLongCompletion(nonce()), max_tokens: MANY_TOKENS, stream: true },
    { abortWhen: (events) => events.length > 0 },
  )
}

const observationChecks = OBSERVATIONS.map(({ id, tried, requests, chatTokens, measure, observe }) =>
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
)

export const chargeChecks: readonly AnyCheck[] = [
  streamPriceCheck,
  ...observationChecks,
  ...mediaChargeChecks,
  everyChargeCheck,
]
