import { defineSummaryCheck, type SummaryOutcome } from '../../engine/check.ts'
import { SPECIFIED_MODELS } from '../../engine/model-catalog.ts'
import type { LoggedExchange, RunLog } from '../../traffic/run-log.ts'
import * as expect from '../../findings/expect.ts'
import type { ChatCharge, PriceReading } from '../../findings/fact-params.ts'
import type { Expectation } from '../../findings/expectations.ts'
import { explainCharges, readStreamTokens } from '../2.1-models/prices.ts'
import { readTokens, readUnits, subtractUnits } from '../shared/balance.ts'
import { getMember, getRequestJson, getRequestText } from '../shared/response-access.ts'

/** A chat whose charge the run measured, with the price of its model in units per token. */
interface MeasuredChat {
  readonly logged: LoggedExchange
  readonly model: string
  readonly price: number
  readonly charge: ChatCharge
}

interface WrongCharge {
  readonly chat: MeasuredChat
  readonly expectedUnits: number
}

/** Minimum number of chats with the same deviation, because other programs may use the account. */
const MIN_WRONG_CHARGES = 2
/** Maximum share of chats without a charge. If the share is larger, a cache may have served them free of charge. */
const MAX_FREE_SHARE = 0.4

const BY_TABLE: Expectation = { rule: 'charges-by-table' }

/**
 * Compares the charges of all chats between two reads of the balance. A check of one price sends a second chat after an
 * unexpected charge, and accepts it, because other programs may use the account. This check finds occasional wrong
 * charges, e.g. for every third chat.
 */
export const everyChargeCheck = defineSummaryCheck({
  id: '8/every-charge',
  requirement: '8/pricing',
  title: 'charges every chat at the price of the table',
  operation: 'chat',
  declaration: 'balance',
  specifiedModels: true,
  summarize: summarizeCharges,
})

function summarizeCharges(run: RunLog): SummaryOutcome {
  const chats = listMeasuredChats(run)
  const models = [...Map.groupBy(chats, ({ model }) => model).values()].map(findWrongCharges)
  const compared = models.reduce((sum, { of }) => sum + of, 0)
  if (compared === 0) return { outcome: expect.markNoEvidence('recorded-response') }
  const wrong = largestGroup(models.flatMap((model) => model.wrong))
  const isFree = wrong.every(({ chat }) => chat.charge.units === 0) && wrong.length > MAX_FREE_SHARE * compared
  if (wrong.length < MIN_WRONG_CHARGES || isFree) {
    return { outcome: expect.pass(BY_TABLE, { kind: 'every-response', responses: compared }) }
  }
  const bills = wrong.map(({ chat }) => chat.charge)
  const outcome = expect.fail(BY_TABLE, { code: 'wrong-charge', params: { bills } })
  return {
    outcome: expect.addDifference({ responses: wrong.length, of: compared }, outcome),
    evidence: wrong.map(({ chat }) => chat.logged),
    hasCommand: false,
  }
}

/** Finds the charges of one model that do not follow its price, although other charges of the model do. */
function findWrongCharges(chats: readonly MeasuredChat[]): {
  readonly of: number
  readonly wrong: readonly WrongCharge[]
} {
  const candidates = listReadings(chats).map((reading) =>
    chats
      .map((chat) => ({ chat, expectedUnits: calculateUnits(reading, chat) }))
      .filter(({ chat, expectedUnits }) => Math.abs(chat.charge.units - expectedUnits) >= MAX_ROUNDING_UNITS),
  )
  const [wrong = []] = candidates.toSorted((a, b) => a.length - b.length)
  return wrong.length === chats.length ? { of: 0, wrong: [] } : { of: chats.length, wrong }
}

const MAX_ROUNDING_UNITS = 0.05

/** Lists readings of the price that may explain the charges, starting with the simplest. */
function listReadings(chats: readonly MeasuredChat[]): PriceReading[] {
  const pairs = chats.flatMap((first, index) =>
    chats.slice(index + 1).map((second) => explainCharges(first.price, [first.charge, second.charge])),
  )
  return ['all-tokens', 'completion-only', ...pairs.filter((reading) => reading !== undefined)]
}

function calculateUnits(reading: PriceReading, { price, charge: { prompt, completion } }: MeasuredChat): number {
  if (reading === 'all-tokens') return price * (prompt + completion)
  if (reading === 'completion-only') return price * completion
  const { byTable, otherUnits } = reading
  return byTable === 'prompt' ? price * prompt + otherUnits * completion : price * completion + otherUnits * prompt
}

/** Returns the largest group of charges with the same deviation: the same factor, or the same number of tokens. */
function largestGroup(wrong: readonly WrongCharge[]): readonly WrongCharge[] {
  const factorOf = ({ chat, expectedUnits }: WrongCharge): string => (chat.charge.units / expectedUnits).toFixed(3)
  const tokensOf = ({ chat, expectedUnits }: WrongCharge): string =>
    ((chat.charge.units - expectedUnits) / chat.price).toFixed(2)
  const groups = [factorOf, tokensOf].flatMap((keyOf) => [...Map.groupBy(wrong, keyOf).values()])
  return groups.reduce<readonly WrongCharge[]>(
    (largest, group) => (group.length > largest.length ? group : largest),
    [],
  )
}

/** Lists chats that are the only request between two steady balances, except free ones that a cache may repeat. */
function listMeasuredChats({ exchanges, balance }: RunLog): MeasuredChat[] {
  if (balance === undefined) return []
  const bodyOf = ({ exchange }: LoggedExchange): string => getRequestText(exchange)
  const sentBodies = new Set<string>()
  const { path } = balance
  const measured: MeasuredChat[] = []
  /** Balances read since the last other request. */
  let reads: (number | undefined)[] = []
  let before: number | undefined
  let requests: LoggedExchange[] = []
  const end = (): void => {
    const [logged] = requests
    const after = steadyUnits(reads)
    if (logged !== undefined && requests.length === 1 && before !== undefined && after !== undefined) {
      const chat = readMeasuredChat(logged, subtractUnits(before, after))
      const mayBeCached = chat?.charge.units === 0 && sentBodies.has(bodyOf(logged))
      if (chat !== undefined && !mayBeCached) measured.push(chat)
    }
  }
  const inTime = exchanges.toSorted((a, b) => a.exchange.startedAtMs - b.exchange.startedAtMs)
  for (const logged of inTime.filter(({ key }) => key === 'funded')) {
    const { request, json } = logged.exchange
    if (request.path === path) {
      reads.push(readUnits(json, balance))
      continue
    }
    if (reads.length > 0) {
      end()
      for (const sent of requests) sentBodies.add(bodyOf(sent))
      before = steadyUnits(reads)
      reads = []
      requests = []
    }
    requests.push(logged)
  }
  end()
  return measured
}

/** Returns the last balance if the read before it agrees. */
function steadyUnits(reads: readonly (number | undefined)[]): number | undefined {
  const [previous, last] = reads.slice(-2)
  return previous === last ? last : undefined
}

function readMeasuredChat(logged: LoggedExchange, units: number): MeasuredChat | undefined {
  const { exchange, operation } = logged
  const fields = getRequestJson(exchange)
  const model = getMember(fields, 'model')
  const price = SPECIFIED_MODELS.unitsPerToken(String(model))
  const tokens = getMember(fields, 'stream') === true ? readStreamTokens(exchange) : readTokens(exchange)
  if (operation !== 'chat' || !expect.isServed(exchange) || typeof model !== 'string' || price === undefined)
    return undefined
  if (tokens === undefined || tokens.completion === 0) return undefined
  return { logged, model, price, charge: { ...tokens, units } }
}
