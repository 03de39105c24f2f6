import { MODELS } from '../../contract/facts.ts'
import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext, Outcome, RequestOptions } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { observationCheck } from './observe.ts'
import {
  CHARGED_OPERATIONS,
  costOf,
  needsOf,
  plainRequest,
  SMALL_CHAT_TOKENS,
  TOKENS_OF_EACH_MODEL,
} from './operation.ts'
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

const SWAPPED = 'the no-credits key was served, and the limited key answered 402: the two seem swapped'

/** One target does not serve accounts without credits and refuse others for want of them: the tester took one for the other. */
async function areSwapped({ chat, keys }: CheckContext): Promise<boolean> {
  if (keys.limited === '') return false
  const { error, status } = await chat({}, { key: keys.limited })
  return error === undefined && status === 402
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
  if (expect.served(refused) && expect.served(twin) && (await areSwapped(context))) {
    return expect.notTestable(SWAPPED)
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

/**
 * Which model is asked makes no difference to the rule. A 429 says nothing of credits and is not waited for: how many models
 * answered is told.
 */
export const noCreditsModels = defineCheck({
  id: '5/no-credits-each-model',
  requirement: '5/insufficient-credits',
  title: 'an account without credits is served by none of the eight models',
  operation: 'chat',
  needs: ['key', 'chatModel', 'noCreditsKey'],
  cost: {
    requests: 2 + MODELS.length,
    chatTokens: 2 * SMALL_CHAT_TOKENS,
    tokensByModel: TOKENS_OF_EACH_MODEL,
  },
  alone: true,
  async run(context) {
    const { chat, keys } = context
    const twin = expect.holds(await chat(), '402', () => undefined)
    if (twin.verdict !== 'pass') return twin
    let refusedModels = 0
    for (const { id: model } of MODELS) {
      const refused = await chat({ model }, { key: keys.noCredits })
      if (refused.error === undefined && refused.status === 402) refusedModels += 1
      if (!expect.served(refused)) continue
      if (await areSwapped(context)) return expect.notTestable(SWAPPED)
      return expect.failed('402', `${model}: ${expect.answered(refused)} with the no-credits key`)
    }
    if (refusedModels === 0) return expect.notTestable('no model answered 402: see the checks of single operations')
    return expect.passed('402', `${refusedModels} of ${MODELS.length} models answered 402, and none was served`)
  },
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

export const creditChecks: readonly Check[] = [...plainChecks, noCreditsStream, noCreditsModels, modelsWithoutCredits]
