import { DEFAULTS } from '../../contract/facts.ts'
import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext, Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { STREAM_HABITS } from './4.2-stream-habits.ts'
import { costOf } from './operation.ts'
import { FEW_TOKENS, LONG_ANSWER, LONG_CHAT_TOKENS } from './long-answer.ts'
import { at, isCount, isObject, mediaType, show } from './read.ts'
import { readStream } from './stream.ts'
import { unlessServedOtherwise } from './usual-form.ts'

function notAStream(answer: Exchange): string | undefined {
  return mediaType(answer) === 'text/event-stream' ? undefined : `the media type is "${mediaType(answer)}"`
}

export const streamMediaType = defineCheck({
  id: '4.2/stream-media-type',
  requirement: '4.2/answer-with-stream',
  title: 'with stream true the media type is text/event-stream',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 2),
  async run({ chat }) {
    const answer = await chat({ stream: true })
    const outcome = expect.holds(answer, 'text/event-stream', notAStream)
    return unlessServedOtherwise(outcome, answer, () => chat({ stream: false }), 'without a stream')
  },
})

export const streamEvents = defineCheck({
  id: '4.2/stream-events',
  requirement: '4.2/answer-with-stream',
  title: 'with stream true the body is made of server-sent events',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 1),
  async run({ chat }) {
    return expect.holds(await chat({ stream: true }), 'at least one event, and none that reports an error', (answer) =>
      answer.events.length > 0 ? reportedError(answer) : 'the body contains no event',
    )
  },
})

/** The shape of a chunk is not shown; but a valid request is not served where an event reports an error. */
export function reportedError(answer: Exchange): string | undefined {
  const named = answer.events.find(({ event }) => event === 'error')
  if (named !== undefined) return `an event is named "error": ${show(named.data)}`
  const { chunks } = readStream(answer)
  const typed = chunks.find(({ json }) => at(json, 'type') === 'error')
  if (typed !== undefined) return `an event is of the type "error": ${show(typed.json)}`
  const errors = chunks.map(({ json }) => at(json, 'error'))
  const reported = errors.find((error) => isObject(error) || (typeof error === 'string' && error !== ''))
  return reported === undefined ? undefined : `an event reports the error ${show(reported)}`
}

/** Whether a stream keeps to the bound: seen only where it tells its usage, which the document does not ask for. */
async function streamBoundedBy({ chat }: CheckContext, bound: number, given: number | undefined): Promise<Outcome> {
  const fields = { messages: LONG_ANSWER, max_tokens: given, stream: true }
  const withUsage = await chat({ ...fields, stream_options: { include_usage: true } })
  const answer = expect.served(withUsage) ? withUsage : await chat(fields)
  const counts = readStream(answer).chunks.map(({ usage }) => at(usage, 'completion_tokens'))
  const most = Math.max(0, ...counts.filter(isCount).map(Number))
  const expected = `completion_tokens of at most ${bound}`
  const outcome = expect.holds(answer, expected, () => (most <= bound ? undefined : `completion_tokens is ${most}`))
  if (outcome.verdict !== 'pass') return outcome
  return expect.passed(expected, most === 0 ? 'the stream tells no usage: the bound is not seen' : `${most} tokens`)
}

export const streamBound = defineCheck({
  id: '4.2/max-tokens-bound-stream',
  requirement: '4.2/max-tokens',
  title: 'a streamed completion has no more tokens than max_tokens',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: { requests: 2, chatTokens: 2 * LONG_CHAT_TOKENS },
  run: (context) => streamBoundedBy(context, FEW_TOKENS, FEW_TOKENS),
})

export const streamDefaultBound = defineCheck({
  id: '8/max-tokens-default-stream',
  requirement: '8/max-tokens-default',
  title: `without max_tokens a streamed completion has at most ${DEFAULTS.max_tokens} tokens`,
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: { requests: 2, chatTokens: 2 * (LONG_CHAT_TOKENS + DEFAULTS.max_tokens) },
  run: (context) => streamBoundedBy(context, DEFAULTS.max_tokens, undefined),
})

const habitChecks = STREAM_HABITS.map(({ name, title, expected, consequence, deviation }) =>
  defineCheck({
    id: `4.2/${name}`,
    requirement: '4.2/stream-habits',
    title,
    operation: 'chat',
    needs: ['key', 'chatModel'],
    cost: costOf('chat', 1),
    run: async ({ chat }) => expect.keeps(await chat({ stream: true }), expected, deviation, consequence),
  }),
)

/** Requests that clients send without being asked; a target that refuses them is unusable with those clients. */
const CLIENT_HABITS = [
  {
    name: 'stream-options-accepted',
    title: 'a stream with stream_options.include_usage is accepted',
    fields: { stream: true, stream_options: { include_usage: true } },
    headers: {},
    habit: 'LangChain sends stream_options.include_usage by default',
    refused: 'each of its streams is refused',
  },
  {
    name: 'stream-accept-json',
    title: 'a stream is given to a client that says Accept: application/json',
    fields: { stream: true },
    headers: { accept: 'application/json' },
    habit: 'the openai SDKs send Accept: application/json with each stream',
    refused: 'all of them are refused',
  },
] as const

const clientHabitChecks = CLIENT_HABITS.map(({ name, title, fields, headers, habit, refused }) =>
  defineCheck({
    id: `4.2/${name}`,
    requirement: '4.2/client-requests',
    title,
    operation: 'chat',
    needs: ['key', 'chatModel'],
    cost: costOf('chat', 2),
    async run({ chat }) {
      const plain = await chat({ stream: true })
      const plainDeviation = expect.served(plain) ? notAStream(plain) : undefined
      if (plainDeviation !== undefined) {
        return expect.notTestable(`a plain request for a stream is answered with none: ${plainDeviation}`)
      }
      const asClientsAsk = await chat(fields, { headers })
      const consequence = `${habit}: ${expect.served(asClientsAsk) ? 'what it is given is no stream' : refused}`
      return expect.tolerates(asClientsAsk, { asWellAs: plain }, 'a stream', notAStream, consequence)
    },
  }),
)

export const streamChecks: readonly Check[] = [
  streamMediaType,
  streamEvents,
  streamBound,
  streamDefaultBound,
  ...habitChecks,
  ...clientHabitChecks,
]
