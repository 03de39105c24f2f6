import { expect, test } from 'vitest'
import { SPECIFIED_MODELS } from '../../engine/model-catalog.ts'
import { concurrentSpendingCheck, expectWithinBalance, planSpending } from './concurrent-credits.ts'
import { createScriptedContext, createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'

test.each([
  [0.01, { model: 'vendora-v4-flash', tokens: 16 }],
  [0.5, { model: 'vendorc-4o-mini', tokens: 157 }],
  [1, { model: 'vendora-v4-pro', tokens: 125 }],
  [10, { model: 'vendorc-4o', tokens: 250 }],
  [11, undefined],
])('for %d credits, chooses the cheapest chats that cost four times the balance', (credits, chats) => {
  expect(planSpending(credits, SPECIFIED_MODELS)).toEqual(chats)
})

test('plans two chats that each fit into the balance, but not both', () => {
  expect(planSpending(1, SPECIFIED_MODELS, 2)).toEqual({ model: 'o3-mini', tokens: 150 })
})

/**
 * Builds responses to chats at 20 units per token. A number stands for a successful chat with this many completion
 * tokens.
 */
function responsesTo(...kinds: readonly (number | 'poor' | 'busy' | 'no-usage')[]) {
  return kinds.map((kind) => {
    if (kind === 'poor') return createScriptedExchange({ status: 402 })
    if (kind === 'busy') return createScriptedExchange({ status: 503 })
    const usage = kind === 'no-usage' ? {} : { prompt_tokens: 1000, completion_tokens: kind }
    return createScriptedExchange({ status: 200, body: JSON.stringify({ usage }) })
  })
}

/** The prompts are free. */
const FREE = { promptRatio: 0 }
/** Prompts of 1000 tokens cost more than the balance. */
const CHARGED = { promptRatio: 1 }

test.each([
  ['free prompts', responsesTo(100, 'poor'), FREE, 'pass', { code: 'as-expected' }],
  ['charged prompts', responsesTo(100, 'poor'), CHARGED, 'fail', { params: { credits: 2.2 } }],
  [
    'prompts of an unknown price',
    responsesTo(100, 'poor'),
    {},
    'not-testable',
    { params: { missing: 'prompt-price' } },
  ],
  ['credits left', responsesTo(100, 'poor'), { leftUnits: 1 }, 'pass', { code: 'as-expected' }],
  ['a balance below zero', responsesTo(100, 'poor'), { leftUnits: -200 }, 'fail', { params: { left: -0.02 } }],
])('evaluates chats with %s', (_name, given, known, verdict, found) => {
  expect(expectWithinBalance(given, 20, 1, known)).toMatchObject({ verdict, ...found })
})

test.each([
  ['within the balance', responsesTo(100, 100, 'poor', 'poor'), 'pass', { code: 'as-expected' }],
  ['exactly the balance', responsesTo(250, 250, 'poor'), 'pass', { code: 'as-expected' }],
  [
    'one unit above the balance',
    responsesTo(250, 251, 'poor'),
    'fail',
    { params: { served: 2, requests: 3, credits: 1.002 } },
  ],
  [
    'all chats served, above the balance',
    responsesTo(300, 300),
    'fail',
    { code: 'balance-exceeded', params: { served: 2, requests: 2 }, parallel: 2 },
  ],
  ['all chats served, below the balance', responsesTo(10, 10), 'not-testable', { code: 'balance-not-used-up' }],
  ['no chat served', responsesTo('poor', 'poor'), 'not-testable', { code: 'balance-used-up', params: { credits: 1 } }],
  [
    'a response without usage',
    responsesTo('no-usage', 'poor'),
    'not-testable',
    { code: 'no-evidence', params: { missing: 'usage' } },
  ],
  [
    'a 503 instead of a 402',
    responsesTo(100, 'busy', 'poor'),
    'not-testable',
    { code: 'request-broke-down', params: { actualStatus: 503 } },
  ],
])('compares the total cost of chats with the balance: %s', (_name, given, verdict, found) => {
  expect(expectWithinBalance(given, 20, 1, FREE)).toMatchObject({ verdict, ...found })
})

test('sends every chat with the small key, within the declared upper bound', async () => {
  const keys = new Set<string | undefined>()
  const context = createScriptedContext(({ headers }) => {
    keys.add(headers['authorization'])
    return { status: 402 }
  })
  await concurrentSpendingCheck.run(context)
  expect([...keys]).toContain('Bearer sk-svc-test-small')
  expect(
    concurrentSpendingCheck.costWith?.({
      declarations: { smallBalance: 1 },
      limitedBurst: 20,
      catalog: SPECIFIED_MODELS,
    }),
  ).toEqual({
    requests: 48,
    chatTokens: 64,
    tokensByModel: { 'vendora-v4-pro': 16 * (125 + 112) },
  })
})
