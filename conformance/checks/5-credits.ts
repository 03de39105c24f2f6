import { defineCheck } from '../harness/check.ts'
import type { Check, CheckContext, Outcome, RequestOptions } from '../harness/check.ts'
import type { Exchange } from '../harness/exchange.ts'
import * as expect from '../harness/expect.ts'
import { observationCheck } from './observe.ts'
import { CHARGED_OPERATIONS, costOf, needsOf, plainRequest } from './operation.ts'
import { retryAfterSeconds } from './read.ts'

const WAIT_WITHOUT_RETRY_AFTER_S = 10
const LONGEST_WAIT_S = 30

type Ask = (options?: RequestOptions) => Promise<Exchange>

/**
 * Asks once more after a 429, so that a limit on the key is not taken for an answer about its credits; an outcome where
 * the wait would be too long.
 */
async function askWithoutCredits({ keys, wait }: CheckContext, ask: Ask): Promise<Exchange | Outcome> {
  const first = await ask({ key: keys.noCredits })
  if (first.status !== 429) return first
  const told = retryAfterSeconds(first) ?? WAIT_WITHOUT_RETRY_AFTER_S
  if (told > LONGEST_WAIT_S) {
    return expect.notTestable(
      `the no-credits key is rate limited for ${told} s, longer than the suite waits: run it again then`,
    )
  }
  await wait(told * 1000)
  return ask({ key: keys.noCredits })
}

/**
 * The no-credits key is taken at its word: where the same request is served with the funded key, anything but 402
 * contradicts 5.5. Only a 401 may mean that the tester gave no valid key at all; listing models tells.
 */
async function judge(context: CheckContext, ask: Ask): Promise<Outcome> {
  const twin = await ask()
  const refused = await askWithoutCredits(context, ask)
  if ('verdict' in refused) return refused
  if (refused.status === 401) {
    const list = await context.listModels({ key: context.keys.noCredits })
    if (list.status === 401)
      return expect.notTestable('the no-credits key is no valid key (401): give one of an empty account')
  }
  const outcome = expect.refusal(refused, 402, { becauseTwinWorks: twin })
  const stillLimited = refused.status === 429 && expect.served(twin)
  return stillLimited ? expect.failed('402', 'answered 429 with the no-credits key, also after the wait') : outcome
}

const plainChecks = CHARGED_OPERATIONS.map((operation) =>
  defineCheck({
    id: `5/no-credits-${operation}`,
    requirement: '5/insufficient-credits',
    title: 'an account without credits is refused with 402',
    operation,
    needs: [...needsOf(operation), 'noCreditsKey'],
    cost: costOf(operation, 4),
    // Called one at a time: in parallel the key could meet a rate limit instead.
    alone: true,
    run: (context) => judge(context, (options) => plainRequest(context, operation, options)),
  }),
)

export const noCreditsStream = defineCheck({
  id: '5/no-credits-chat-stream',
  requirement: '5/insufficient-credits',
  title: 'a stream without credits is refused with the status 402, not with an event inside a 200',
  operation: 'chat',
  needs: ['key', 'chatModel', 'noCreditsKey'],
  cost: costOf('chat', 4),
  alone: true,
  run: (context) => judge(context, (options) => context.chat({ stream: true }, options)),
})

export const modelsWithoutCredits = observationCheck({
  id: '5/models-without-credits',
  requirement: '5/models-credits',
  tried: 'listing models without credits',
  operation: 'models',
  needs: ['noCreditsKey'],
  alone: true,
  ask: ({ keys, listModels }) => listModels({ key: keys.noCredits }),
})

export const creditChecks: readonly Check[] = [...plainChecks, noCreditsStream, modelsWithoutCredits]
