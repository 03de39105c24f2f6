import { type Check, defineCheck, calculateMaxCost, SMALL_CHAT_TOKENS } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import { findStreamError } from '../../http/stream-error.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { streamBoundChecks } from './stream-bound.ts'
import { findConsequence, STREAM_CONVENTIONS } from './stream-conventions.ts'
import { compareMediaType } from '../shared/fields.ts'
import { getMediaType } from '../shared/response-access.ts'
import { UNICODE_GREETING } from '../shared/long-completion.ts'
import { retryInCommonForm } from '../shared/common-form.ts'
import { parseStream } from '../shared/stream.ts'

const EVENT_STREAM: Expectation = { mediaType: 'text/event-stream' }

function findOtherMediaType(response: Exchange): Deviation | undefined {
  return compareMediaType(response, 'text/event-stream')
}

export function findMissingEvents(response: Exchange): Deviation | undefined {
  if (parseStream(response).chunks.length > 0) return undefined
  const problem = response.events.length > 0 ? 'no-chunks' : 'no-events'
  return { code: 'stream-malformed', params: { problem } }
}

export function findStreamErrorDeviation(response: Exchange): Deviation | undefined {
  const error = findStreamError(response)
  return error === undefined
    ? undefined
    : { code: 'error-in-stream', params: { form: error.form, actual: createExcerpt(error.actual) } }
}

function describeMissingStream(response: Exchange): Outcome {
  return expect.markNotTestable({ code: 'plain-stream-is-none', params: { actualMediaType: getMediaType(response) } })
}

/** Forms of requests that clients send by default. A target that rejects them is unusable with those clients. */
const CLIENT_FORMS = [
  {
    id: '4.2/stream-options-accepted',
    title: 'accepts a stream with stream_options.include_usage',
    fields: { stream: true, stream_options: { include_usage: true } },
    headers: {},
    client: 'LangChain sends stream_options.include_usage by default',
    rejected: 'the target rejects each of its streams',
  },
  {
    id: '4.2/stream-accept-json',
    title: 'streams to a client that sends Accept: application/json',
    fields: { stream: true },
    headers: { accept: 'application/json' },
    client: 'the openai SDKs send Accept: application/json with each stream',
    rejected: 'the target rejects all these streams',
  },
] as const

export const streamChecks: readonly Check[] = [
  defineCheck({
    id: '4.2/stream-media-type',
    requirement: '4.2/answer-with-stream',
    title: 'labels a stream as text/event-stream',
    operation: 'chat',
    cost: calculateMaxCost('chat', 2),
    async run({ chat, shared }) {
      const response = await shared.chat({ stream: true })
      const outcome = expect.checkResponse(response, EVENT_STREAM, findOtherMediaType)
      return retryInCommonForm(outcome, response, {
        servedWith: { parameter: 'stream', value: false },
        send: () => chat({ stream: false }),
      })
    },
  }),
  defineCheck({
    id: '4.2/stream-events',
    requirement: '4.2/answer-with-stream',
    title: 'sends a stream as server-sent events',
    operation: 'chat',
    async run({ shared }) {
      return expect.checkResponse(await shared.chat({ stream: true }), { rule: 'stream-of-events' }, findMissingEvents)
    },
  }),
  defineCheck({
    id: '4.2/unicode-stream',
    requirement: '4.2/answer-with-stream',
    title: 'streams the response to a message in any script',
    operation: 'chat',
    cost: { requests: 3, chatTokens: 5 * SMALL_CHAT_TOKENS },
    async run({ chat, shared }) {
      const plain = await shared.chat({ stream: true })
      if (expect.isServed(plain) && findOtherMediaType(plain) !== undefined) return describeMissingStream(plain)
      const messages = [{ role: 'user', content: UNICODE_GREETING }]
      const response = await chat({ messages, stream: true })
      const outcome = expect.checkResponse(response, EVENT_STREAM, findOtherMediaType)
      const difference = { parameter: 'messages[0].content', value: UNICODE_GREETING }
      if (outcome.verdict === 'fail') return expect.addDifference(difference, outcome)
      // A target that rejects the message without streaming as well fails `4.2/unicode-content`.
      const servedWith = { parameter: 'stream', omitted: true } as const
      return retryInCommonForm(outcome, response, { servedWith, send: () => chat({ messages }) })
    },
  }),
  ...streamBoundChecks,
  ...STREAM_CONVENTIONS.map((convention) =>
    defineCheck({
      id: convention.id,
      requirement: '4.2/stream-habits',
      title: convention.title,
      operation: 'chat',
      async run({ shared }) {
        const response = await shared.chat({ stream: true })
        // A response without events is not testable here, because 4.2/stream-events and 4.2/stream-media-type report it.
        if (expect.isServed(response) && response.events.length === 0) return describeMissingStream(response)
        const found = convention.find(response)
        return expect.checkConvention(response, convention.expected, () => found, findConsequence(convention, found))
      },
    }),
  ),
  ...CLIENT_FORMS.map(({ id, title, fields, headers, client, rejected }) =>
    defineCheck({
      id,
      requirement: '4.2/client-requests',
      title,
      operation: 'chat',
      cost: calculateMaxCost('chat', 2),
      async run({ shared }) {
        const plain = await shared.chat({ stream: true })
        if (expect.isServed(plain) && findOtherMediaType(plain) !== undefined) {
          return describeMissingStream(plain)
        }
        const response = await shared.chat(fields, { headers })
        const consequence = `${client}: ${expect.isServed(response) ? 'the response is not a stream' : rejected}`
        return expect.checkRequestForm(response, { asWellAs: plain }, EVENT_STREAM, findOtherMediaType, consequence)
      },
    }),
  ),
]
