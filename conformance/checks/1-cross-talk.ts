import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext, Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { keepConnection } from '../http/kept-connection.ts'
import { reportedError } from './4.2-chat-stream.ts'
import { costOf } from './operation.ts'
import { at } from './read.ts'
import { readStream } from './stream.ts'

/** As many as a page with several users has open: enough to meet in any pool, few enough for any test account. */
const STREAMS_AT_ONCE = 16

/** The one message of such a request, and the nonce in it. */
export const CONTENT = /"Repeat: (t[0-9a-f]{8})"/

const CONSEQUENCE = 'what one customer asked, or was told, reaches another'

/** An answer with the nonce that only its own request carried. */
interface Asked {
  readonly nonce: string
  readonly answer: Exchange
}

async function askFor(context: CheckContext, nonce: string, options: { readonly stream: boolean }, keep = {}) {
  const messages = [{ role: 'user', content: `Repeat: ${nonce}` }]
  return { nonce, answer: await context.chat({ messages, ...options }, keep) }
}

function streamsAtOnce(context: CheckContext): Promise<readonly Asked[]> {
  const nonces = Array.from({ length: STREAMS_AT_ONCE }, () => context.nonce())
  return Promise.all(nonces.map((nonce) => askFor(context, nonce, { stream: true })))
}

/** All text that an answer shows: as it stands, and put together from the pieces of a stream. */
function textsOf({ answer }: Asked): string {
  const pieces = readStream(answer).withChoice.map(({ content }) => (typeof content === 'string' ? content : ''))
  return `${answer.text}\n${pieces.join('')}`
}

function idsOf({ answer }: Asked): readonly unknown[] {
  const ids =
    answer.events.length > 0 ? readStream(answer).chunks.map(({ json }) => at(json, 'id')) : [at(answer.json, 'id')]
  return ids.filter((id) => typeof id === 'string' && id !== '')
}

/** What in one of the answers belongs to another; nothing when each is its own. */
export function findCrossTalk(asked: readonly Asked[]): string | undefined {
  for (const [index, one] of asked.entries()) {
    const others = asked.filter((other) => other !== one)
    const place = `answer ${index + 1} of ${asked.length}`
    const text = textsOf(one)
    const foreign = others.find(({ nonce }) => nonce !== one.nonce && text.includes(nonce))
    if (foreign !== undefined) return `${place} has the text of another: ${foreign.nonce}`
    const ids = new Set(idsOf(one))
    if (others.some((other) => idsOf(other).some((id) => ids.has(id)))) return `${place} has the id of another`
  }
  return undefined
}

export const streamsServed = defineCheck({
  id: '4.2/streams-at-once',
  requirement: '4.2/answer-with-stream',
  title: `each of ${STREAMS_AT_ONCE} streams at once is served`,
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', STREAMS_AT_ONCE),
  alone: true,
  async run(context) {
    const expected = `events, and none that reports an error, to each of ${STREAMS_AT_ONCE} streams`
    const outcomes = (await streamsAtOnce(context)).map(({ answer }) =>
      expect.holds(answer, expected, ({ events }) =>
        events.length > 0 ? reportedError(answer) : 'the body has no event',
      ),
    )
    const bad = outcomes.find(({ verdict }) => verdict === 'fail') ?? outcomes.find(({ verdict }) => verdict !== 'pass')
    return bad === undefined
      ? expect.passed(expected, 'all were served')
      : { ...bad, actual: `one of them: ${bad.actual}` }
  },
})

/** How a stream ends, as far as clients look at it. */
function endOf(answer: Exchange): string {
  const { done, withChoice } = readStream(answer)
  const hasReason = typeof withChoice.at(-1)?.finishReason === 'string'
  return `${hasReason ? 'with' : 'without'} a finish_reason, ${done === undefined ? 'without' : 'with'} [DONE]`
}

export const ownAnswer = defineCheck({
  id: '1/own-answer',
  requirement: '1/cross-talk',
  title: `each of ${STREAMS_AT_ONCE} streams at once carries its own answer, whole`,
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', STREAMS_AT_ONCE + 1),
  alone: true,
  async run(context) {
    const alone = await askFor(context, context.nonce(), { stream: true })
    const asked = await streamsAtOnce(context)
    const outcome = ownAnswers([alone, ...asked])
    if (outcome.verdict !== 'pass') return outcome
    const cut = asked.find(({ answer }) => endOf(answer) !== endOf(alone.answer))
    if (cut === undefined) return outcome
    return expect.warned(
      'the end that a stream alone has',
      `one of them ends ${endOf(cut.answer)}; a stream alone ends ${endOf(alone.answer)}`,
      'under load clients take a cut answer for a whole one, or throw for want of a finish_reason',
    )
  },
})

export const ownAnswerKept = defineCheck({
  id: '1/own-answer-kept',
  requirement: '1/cross-talk',
  title: 'on a kept connection each answer is the one to its own request',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 3),
  async run(context) {
    const connection = keepConnection()
    const asked: Asked[] = []
    for (const stream of [true, false, true]) {
      asked.push(await askFor(context, context.nonce(), { stream }, { connection }))
    }
    connection.close()
    return ownAnswers(asked)
  },
})

function ownAnswers(asked: readonly Asked[]): Outcome {
  const unserved = asked.find(({ answer }) => !expect.served(answer)) ?? asked[0]
  if (unserved === undefined) return expect.notTestable('nothing was asked')
  const expected = 'no text and no id of another request in an answer'
  return expect.keeps(unserved.answer, expected, () => findCrossTalk(asked), CONSEQUENCE)
}

export const crossTalkChecks: readonly Check[] = [streamsServed, ownAnswer, ownAnswerKept]
