import { type Check, defineCheck } from '../engine/check.ts'
import * as expect from '../outcomes/expect.ts'
import { LONG_COMPLETION } from './long-completion.ts'

/** The default of the document: long enough to be left in the middle. */
const MANY_TOKENS = 256

export const leftStream = defineCheck({
  id: '4.2/left-stream',
  requirement: '4.2/stream-abort',
  title: 'what the target does after a client left a stream',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: { requests: 2, chatTokens: 2 * MANY_TOKENS },
  async run({ chat }) {
    const left = await chat(
      { messages: LONG_COMPLETION, max_tokens: MANY_TOKENS, stream: true },
      { leaveAfterEvents: 1 },
    )
    if (!expect.served(left)) return expect.observed(left)
    const next = await chat({ messages: [{ role: 'user', content: 'Say hello to the next client.' }] })
    return expect.observed(next, { tried: 'the next request after a client left a stream' })
  },
})

export const leftStreamChecks: readonly Check[] = [leftStream]
