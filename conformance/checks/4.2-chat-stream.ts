import { defineCheck } from '../harness/check.ts'
import type { Check } from '../harness/check.ts'
import type { Exchange } from '../harness/exchange.ts'
import * as expect from '../harness/expect.ts'
import { STREAM_HABITS } from './4.2-stream-habits.ts'
import { costOf } from './operation.ts'
import { mediaType } from './read.ts'

function notAStream(answer: Exchange): string | undefined {
  return mediaType(answer) === 'text/event-stream' ? undefined : `the media type is "${mediaType(answer)}"`
}

export const streamMediaType = defineCheck({
  id: '4.2/stream-media-type',
  requirement: '4.2/answer-with-stream',
  title: 'with stream true the media type is text/event-stream',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 1),
  async run({ chat }) {
    return expect.holds(await chat({ stream: true }), 'text/event-stream', notAStream)
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
    return expect.holds(await chat({ stream: true }), 'at least one event', ({ events }) =>
      events.length > 0 ? undefined : 'the body contains no event',
    )
  },
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
    consequence: 'LangChain sends stream_options.include_usage by default: each of its streams is refused',
  },
  {
    name: 'stream-accept-json',
    title: 'a stream is given to a client that says Accept: application/json',
    fields: { stream: true },
    headers: { accept: 'application/json' },
    consequence: 'the openai SDKs send Accept: application/json with each stream: all of them are refused',
  },
] as const

const clientHabitChecks = CLIENT_HABITS.map(({ name, title, fields, headers, consequence }) =>
  defineCheck({
    id: `4.2/${name}`,
    requirement: '4.2/client-requests',
    title,
    operation: 'chat',
    needs: ['key', 'chatModel'],
    cost: costOf('chat', 2),
    async run({ chat }) {
      const plain = await chat({ stream: true })
      const asClientsAsk = await chat(fields, { headers })
      return expect.tolerates(asClientsAsk, { asWellAs: plain }, 'a stream', notAStream, consequence)
    },
  }),
)

export const streamChecks: readonly Check[] = [streamMediaType, streamEvents, ...habitChecks, ...clientHabitChecks]
