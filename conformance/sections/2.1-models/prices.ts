import { MODELS, type ModelId, UNITS_PER_CREDIT } from '../../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck, SMALL_CHAT_TOKENS } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import { isOutcome, type Outcome } from '../../findings/outcome.ts'
import type { ChatCharge, PriceReading } from '../../findings/fact-params.ts'
import { SYSTEM_MESSAGE, UNICODE_GREETING } from '../shared/long-completion.ts'
import { hasOnlyFields } from '../shared/recorded-responses.ts'
import { isObject } from '../shared/response-access.ts'
import { parseStream } from '../shared/stream.ts'
import {
  awaitCharges,
  type ChargedRequest,
  MAX_READS_PER_CHARGE,
  measureCharge,
  measurePlainChat,
  readTokens,
} from '../shared/balance.ts'

/** A prompt much longer than the usual one. Two charges for different lengths reveal the prices of both tokens. */
const LONGER_PROMPT = 'Say hello to all of us, one by one, and to the rest of the world as well. '.repeat(3)
/** `max_tokens` of the chat with the longer prompt. Other chats use 16. */
const MORE_TOKENS = 64
const LONGER_CHAT_TOKENS = LONGER_PROMPT.length + 32 + MORE_TOKENS

/**
 * Tests whether a table price, in units per token, explains the charges of chats in one way. Returns the resulting
 * prices of prompt and completion tokens, or undefined if the charges contradict them.
 */
type Explanation = (price: number, charges: readonly ChatCharge[]) => PriceReading | undefined

/**
 * Possible explanations of charges, starting with the simplest. The specification does not state whether prompt and
 * completion tokens have the same price. At least one kind of token must have the price of the table. If the other kind
 * has a different price, that price must explain every charge.
 */
const EXPLANATIONS: readonly Explanation[] = [
  (price, charges) =>
    charges.every(({ prompt, completion, units }) => isSame(units, price * (prompt + completion)))
      ? 'all-tokens'
      : undefined,
  (price, charges) =>
    charges.every(({ completion, units }) => isSame(units, price * completion)) ? 'completion-only' : undefined,
  (price, charges) => withOtherPrice(price, charges, 'completion', 'prompt'),
  (price, charges) => withOtherPrice(price, charges, 'prompt', 'completion'),
]

/**
 * Tests whether the tokens `byTable` have the price of the table and the tokens `other` have a second price. Requires
 * two charges, because a second price can explain any single charge.
 */
function withOtherPrice(
  price: number,
  charges: readonly ChatCharge[],
  byTable: 'prompt' | 'completion',
  other: 'prompt' | 'completion',
): PriceReading | undefined {
  const [first, second] = charges
  if (first === undefined || second === undefined || first[other] === 0) return undefined
  const otherUnits = (first.units - price * first[byTable]) / first[other]
  const isOne =
    otherUnits >= 0 &&
    charges.every((charge) => isSame(charge.units, price * charge[byTable] + otherUnits * charge[other]))
  return isOne ? { byTable, otherUnits } : undefined
}

function isSame(units: number, expected: number): boolean {
  return Math.abs(units - expected) < 0.05
}

/** Finds the simplest way in which a table price, in units per token, explains the charges of chats. */
export function explainCharges(price: number, charges: readonly ChatCharge[]): PriceReading | undefined {
  return EXPLANATIONS.map((explanation) => explanation(price, charges)).find((reading) => reading !== undefined)
}

interface ChatFields {
  readonly model: string
  readonly messages?: readonly { readonly role: string; readonly content: string }[]
  readonly max_tokens?: number
}

interface ChargedChat {
  readonly charge: ChatCharge
  readonly sequence: readonly Exchange[]
}

/** Sends a chat with these fields, and measures its charge. Returns an outcome if the charge proves nothing. */
type MeasureChat = (context: CheckContext, fields: ChatFields) => Promise<ChargedChat | Outcome>

async function measureChat(context: CheckContext, fields: ChatFields): Promise<ChargedChat | Outcome> {
  const charged = requireServed(
    await (hasOnlyFields({ ...fields }, ['model'])
      ? measurePlainChat(context, fields.model)
      : measureCharge(context, () => context.chat({ ...fields }))),
  )
  if (isOutcome(charged)) return charged
  const tokens = readTokens(charged.response)
  // A completion without tokens proves nothing, because its charge may be 0 at any price.
  return tokens === undefined || tokens.completion === 0 ? NO_TOKENS : buildChargedChat(charged, tokens)
}

function buildChargedChat(
  { before, response, after, units }: ChargedRequest,
  tokens: Omit<ChatCharge, 'units'>,
): ChargedChat {
  return { charge: { ...tokens, units }, sequence: [before, response, after] }
}

/** Returns an outcome instead of the charge if the target did not serve the request. */
function requireServed(charged: ChargedRequest | Outcome): ChargedRequest | Outcome {
  if (isOutcome(charged)) return charged
  const outcome = expect.checkResponse(charged.response, expect.EXPECT_SUCCESS)
  return outcome.verdict === 'pass' ? charged : outcome
}

const NO_TOKENS = expect.markNoEvidence('usage')

/** Returns the tokens of the last usage in a stream. Returns undefined without usage. */
export function readStreamTokens(response: Exchange): ReturnType<typeof readTokens> {
  const usages = parseStream(response).chunks.filter(({ usage }) => isObject(usage))
  return readTokens({ json: { usage: usages.at(-1)?.usage } })
}

/**
 * Compares the charge of a chat with the price table. If the charge does not fit, either other requests have affected
 * it, or prompt and completion tokens have different prices. The charge of a second chat shows which.
 */
async function expectTablePrice(
  context: CheckContext,
  model: string,
  measure: MeasureChat = measureChat,
): Promise<Outcome> {
  const price = context.catalog.unitsPerToken(model) ?? 0
  const expected = { creditsPerToken: price / UNITS_PER_CREDIT }
  const first = await measure(context, { model })
  if (isOutcome(first)) return first
  const { charge } = first
  const simple = explainCharges(price, [charge])
  if (simple !== undefined) return expect.pass(expected, { kind: 'charge', bills: [charge], reading: simple })
  // The charge may be that of an earlier request, which the target made with a delay.
  await awaitCharges(context)
  // The nonce prevents a cache hit from an earlier run, because the target might not charge for it.
  const messages = [{ role: 'user', content: `${LONGER_PROMPT}${context.nonce()}` }]
  const second = await measure(context, { model, messages, max_tokens: MORE_TOKENS })
  if (isOutcome(second)) return second
  const charges = [charge, second.charge]
  const reading = explainCharges(price, [second.charge]) ?? explainCharges(price, charges)
  return reading === undefined
    ? { ...expect.fail(expected, { code: 'wrong-charge', params: { bills: charges } }), sequence: second.sequence }
    : expect.pass(expected, { kind: 'charge', bills: charges, reading })
}

const PRICE_CHECKS: Readonly<Record<ModelId, string>> = {
  'vendora-v4-flash': '2.1/price-vendora-v4-flash',
  'vendora-v4-pro': '2.1/price-vendora-v4-pro',
  'vendora-reasoner': '2.1/price-vendora-reasoner',
  'vendorb-sonnet-4-20250514': '2.1/price-vendorb-sonnet-4-20250514',
  'vendorb-haiku-3.5': '2.1/price-vendorb-haiku-3.5',
  'o3-mini': '2.1/price-o3-mini',
  'vendorc-4o': '2.1/price-vendorc-4o',
  'vendorc-4o-mini': '2.1/price-vendorc-4o-mini',
}

export const priceChecks: readonly Check[] = MODELS.map(({ id }) =>
  defineCheck({
    id: PRICE_CHECKS[id],
    requirement: PRICE_CHECKS[id],
    title: `charges a chat with ${id} at the price of the table`,
    operation: 'chat',
    declaration: 'balance',
    specifiedModels: true,
    cost: {
      requests: 2 + 2 * MAX_READS_PER_CHARGE,
      tokensByModel: { [id]: SMALL_CHAT_TOKENS + LONGER_CHAT_TOKENS },
    },
    // Runs alone, because requests of other checks would change the balance, too.
    alone: true,
    run: (context) => expectTablePrice(context, id),
  }),
)

/** Upper bound of the tokens of the stream with the shorter prompt. A byte of the prompt is at most one token. */
const STREAM_TOKENS = 256

/**
 * Sends a stream whose last chunk contains the usage, with further parameters and characters outside ASCII, because the
 * charge must not depend on them. The specification leaves open whether a target accepts `stream_options` and a second
 * message. If the target rejects them, sends a plain stream.
 */
async function sendStream(context: CheckContext, fields: ChatFields): Promise<Exchange> {
  const text = fields.messages?.[0]?.content ?? context.nonce()
  const messages = [{ role: 'user', content: `${UNICODE_GREETING} ${text}` }]
  const plain = { ...fields, stream: true, messages }
  const response = await context.chat({
    ...plain,
    stream_options: { include_usage: true },
    temperature: 0.3,
    messages: [SYSTEM_MESSAGE, ...messages],
  })
  return response.status === 400 ? context.chat(plain) : response
}

/** Measures the charge of a stream. Without usage, its possible numbers of tokens must allow the charge. */
async function measureStream(context: CheckContext, fields: ChatFields): Promise<ChargedChat | Outcome> {
  const charged = requireServed(await measureCharge(context, () => sendStream(context, fields)))
  if (isOutcome(charged)) return charged
  const { response, units } = charged
  const tokens = readStreamTokens(response)
  if (tokens !== undefined) return tokens.completion === 0 ? NO_TOKENS : buildChargedChat(charged, tokens)
  const price = context.catalog.unitsPerToken(context.models.chat) ?? 0
  // The prompt and the completion have at least one token each, and at least one kind has the price of the table.
  return units >= price && units <= price * STREAM_TOKENS
    ? expect.pass({ creditsPerToken: price / UNITS_PER_CREDIT }, { kind: 'units-charged', units })
    : NO_TOKENS
}

export const streamPriceCheck = defineCheck({
  id: '8/stream-price',
  requirement: '8/pricing',
  title: 'charges a stream at the price of the table',
  operation: 'chat',
  declaration: 'balance',
  specifiedModels: true,
  cost: { requests: 2 + 2 * MAX_READS_PER_CHARGE, chatTokens: 2 * STREAM_TOKENS + LONGER_CHAT_TOKENS },
  alone: true,
  run: (context) => expectTablePrice(context, context.models.chat, measureStream),
})
