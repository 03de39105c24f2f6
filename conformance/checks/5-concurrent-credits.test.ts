import { expect, test } from 'vitest'
import { concurrentSpending, judgeSpending, planSpending } from './5-concurrent-credits.ts'
import { scriptedContext, scriptedExchange } from './scripted-context.ts'

test.each([
  [0.01, { model: 'vendora-v4-flash', tokens: 16 }],
  [0.5, { model: 'vendorc-4o-mini', tokens: 157 }],
  [1, { model: 'vendora-v4-pro', tokens: 125 }],
  [10, { model: 'vendorc-4o', tokens: 250 }],
  [11, undefined],
])('for %d credits the cheapest chats that cost four times as much are chosen', (credits, chats) => {
  expect(planSpending(credits)).toEqual(chats)
})

/** Answers to chats at 20 units a token: a number is the completion tokens of one that was served. */
function answers(...kinds: readonly (number | 'poor' | 'busy' | 'untold')[]) {
  return kinds.map((kind) => {
    if (kind === 'poor') return scriptedExchange({ status: 402 })
    if (kind === 'busy') return scriptedExchange({ status: 503 })
    const usage = kind === 'untold' ? {} : { prompt_tokens: 1000, completion_tokens: kind }
    return scriptedExchange({ status: 200, body: JSON.stringify({ usage }) })
  })
}

test.each([
  ['within the balance', answers(100, 100, 'poor', 'poor'), 'pass', 'some were served within the balance'],
  ['to the last credit', answers(250, 250, 'poor'), 'pass', 'some were served within the balance'],
  ['beyond the balance', answers(250, 251, 'poor'), 'fail', '2 of 3 chats at once were served, for at least 1.002'],
  ['all of them, beyond the balance', answers(300, 300), 'fail', '2 of 2 chats at once were served'],
  ['all of them, which cost little', answers(10, 10), 'not-testable', 'the answers were too short to use them up'],
  ['none of them', answers('poor', 'poor'), 'not-testable', 'has no credits left: give it 1 again'],
  ['without telling what was used', answers('untold', 'poor'), 'not-testable', 'tells no usage'],
  ['with another status than 402', answers(100, 'busy', 'poor'), 'fail', 'answered 503'],
])('chats served %s', (_name, given, verdict, saying) => {
  const outcome = judgeSpending(given, 'vendora-v4-pro', 1)
  expect(outcome).toMatchObject({ verdict, actual: expect.stringContaining(saying) })
})

test('all chats are sent with the small key, and their bound is declared', async () => {
  const keys = new Set<string | undefined>()
  const context = scriptedContext(({ headers }) => {
    keys.add(headers['authorization'])
    return { status: 402 }
  })
  await concurrentSpending.run(context)
  expect([...keys]).toEqual(['Bearer sk-svc-test-small'])
  expect(concurrentSpending.costWith?.({ smallBalance: 1 }, 20)).toEqual({
    requests: 16,
    tokensByModel: { 'vendora-v4-pro': 16 * (125 + 112) },
  })
})
