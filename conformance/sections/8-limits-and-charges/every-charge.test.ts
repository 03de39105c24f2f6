import { expect, test } from 'vitest'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { describeOutcome } from '../../findings/sentences.ts'
import { everyChargeCheck } from './every-charge.ts'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'

const BALANCE = { path: '/balance', pointer: '/credits' }
const START_UNITS = 10_000_000

type ChargeRule = (chat: {
  readonly index: number
  readonly prompt: number
  readonly completion: number
  readonly price: number
}) => number

/** Models of the chats in the log, with their prices in units per token. */
const PRICES = [
  ['vendora-v4-flash', 4],
  ['vendora-v4-pro', 20],
  ['vendora-reasoner', 20],
  ['vendorb-sonnet-4-20250514', 60],
] as const

/**
 * Returns the log of twelve measured chats, three with each model.
 * @param charge returns the units that the target charges for a chat
 * @param options.drift units that other programs spend between two reads of the balance. Default: 0
 * @param options.prompt returns the prompt of a chat. Default: a different one for each chat
 */
function logOf(
  charge: ChargeRule,
  { drift = 0, prompt: promptOf = String }: { drift?: number; prompt?: (index: number) => string } = {},
): LoggedExchange[] {
  let units = START_UNITS
  const log = (path: string, body: object, request?: object): LoggedExchange => {
    const spec = { method: 'POST', path, headers: {}, ...(request && { body: Buffer.from(JSON.stringify(request)) }) }
    const exchange = createScriptedExchange({ status: 200, body: JSON.stringify(body) }, spec)
    const operation = path === BALANCE.path ? undefined : 'chat'
    return {
      source: '8/a',
      operation,
      key: 'funded',
      kind: 'valid',
      request: 0,
      isFinal: true,
      exchange,
      form: undefined,
    }
  }
  const readBalance = (): LoggedExchange[] =>
    Array.from({ length: 2 }, () => {
      units -= drift
      return log(BALANCE.path, { credits: units / 10_000 })
    })
  return Array.from({ length: 12 }, (_, index): LoggedExchange[] => {
    const [model, price] = PRICES[Math.floor(index / 3)] ?? PRICES[0]
    const [prompt, completion] = [10 + index, 16]
    const before = readBalance()
    units -= charge({ index, prompt, completion, price })
    const usage = { prompt_tokens: prompt, completion_tokens: completion }
    const chat = log('/v1/chat/completions', { object: 'chat.completion', usage }, { model, prompt: promptOf(index) })
    return [...before, chat, ...readBalance()]
  }).flat()
}

const allTokens: ChargeRule = ({ prompt, completion, price }) => price * (prompt + completion)

function summarize(exchanges: readonly LoggedExchange[]): string {
  const { outcome } = everyChargeCheck.summarize({ baseUrl: '', startedAt: 0, exchanges, balance: BALANCE })
  return `${outcome.verdict}: ${describeOutcome(outcome).actual}`
}

test.each<[string, ChargeRule, RegExp]>([
  ['every chat at the price', allTokens, /^pass: true of all 12 responses/],
  ['only completions', ({ completion, price }) => price * completion, /^pass: true of all 12/],
  [
    'every third chat twice',
    (chat) => allTokens(chat) * (chat.index % 3 === 2 ? 2 : 1),
    /^fail: in 4 of 12 responses: charged/,
  ],
  ['every fifth chat twice', (chat) => allTokens(chat) * (chat.index % 5 === 4 ? 2 : 1), /^fail: in 2 of 12/],
  ['nothing for every third chat', (chat) => (chat.index % 3 === 2 ? 0 : allTokens(chat)), /^fail: in 4 of 12/],
  [
    'one more token for every fourth chat',
    (chat) => allTokens(chat) + (chat.index % 4 === 3 ? chat.price : 0),
    /^fail: in 3 of 12/,
  ],
  [
    'half the price of prompts',
    ({ prompt, completion, price }) => price * (prompt / 2 + completion),
    /^pass: true of all 12/,
  ],
  [
    'half the price of prompts, and every third chat twice',
    ({ index, prompt, completion, price }) => price * (prompt / 2 + completion) * (index % 3 === 2 ? 2 : 1),
    /^fail: in 4 of 12/,
  ],
  // Another program may have used the account.
  ['one chat twice', (chat) => allTokens(chat) * (chat.index === 4 ? 2 : 1), /^pass: true of all 12/],
  [
    'several chats for different numbers of tokens',
    (chat) => allTokens(chat) + (chat.index % 3 === 2 ? chat.index * 7 : 0),
    /^pass: true of all 12/,
  ],
  // A cache may have served the chats.
  [
    'nothing for more than 40 % of the chats',
    (chat) => (chat.index % 2 === 0 ? 0 : allTokens(chat)),
    /^pass: true of all 12/,
  ],
  // The checks of the prices report these charges.
  ['twice the price of every chat', (chat) => 2 * allTokens(chat), /^not-testable:/],
])('compares the charges of a target that charges %s', (_name, charge, expected) => {
  expect(summarize(logOf(charge))).toMatch(expected)
})

test('ignores charges between balances that are not steady', () => {
  expect(summarize(logOf(allTokens, { drift: 1 }))).toMatch(/^not-testable:/)
  expect(summarize([])).toMatch(/^not-testable:/)
})

test('ignores a free chat that repeats an earlier request, because a cache may have served it', () => {
  const charge: ChargeRule = (chat) => (chat.index % 3 === 2 ? 0 : allTokens(chat))
  expect(summarize(logOf(charge, { prompt: () => 'hello' }))).toMatch(/^pass: true of all 8 responses/)
})
