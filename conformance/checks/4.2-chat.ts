import { DEFAULTS, TEMPERATURE } from '../../contract/facts.ts'
import { defineCheck } from '../harness/check.ts'
import type { Check, Outcome } from '../harness/check.ts'
import type { Exchange } from '../harness/exchange.ts'
import * as expect from '../harness/expect.ts'
import { parameterTableChecks } from './4-parameters.ts'
import { chatText } from './observe.ts'
import { FEW_TOKENS, LONG_ANSWER, LONG_CHAT_TOKENS } from './long-answer.ts'
import { costOf, SMALL_CHAT_TOKENS } from './operation.ts'
import { at, isCount, isObject, mediaType, show } from './read.ts'
import { unlessServedOtherwise } from './usual-form.ts'

/** Whether the answer keeps to the bound. A shorter answer keeps it too; the words say that it was not reached. */
function boundedBy(answer: Exchange, bound: number): Outcome {
  const expected = `completion_tokens of at most ${bound}`
  const tokens = at(answer.json, 'usage', 'completion_tokens')
  const outcome = expect.holds(answer, expected, () =>
    isCount(tokens) && Number(tokens) <= bound ? undefined : `completion_tokens is ${show(tokens)}`,
  )
  if (outcome.verdict !== 'pass') return outcome
  return expect.passed(
    expected,
    Number(tokens) < bound ? `${show(tokens)} tokens: the bound was not reached` : `${show(tokens)} tokens`,
  )
}

export const maxTokensBound = defineCheck({
  id: '4.2/max-tokens-bound',
  requirement: '4.2/max-tokens',
  title: 'a completion has no more tokens than max_tokens',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: { requests: 1, chatTokens: LONG_CHAT_TOKENS },
  async run({ chat }) {
    return boundedBy(await chat({ messages: LONG_ANSWER, max_tokens: FEW_TOKENS }), FEW_TOKENS)
  },
})

export const maxTokensDefault = defineCheck({
  id: '8/max-tokens-default',
  requirement: '8/max-tokens-default',
  title: 'without max_tokens a completion has at most 256 tokens',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: { requests: 2, chatTokens: 2 * (LONG_CHAT_TOKENS + DEFAULTS.max_tokens) },
  async run({ chat }) {
    const answer = await chat({ messages: LONG_ANSWER, max_tokens: undefined })
    const outcome = boundedBy(answer, DEFAULTS.max_tokens)
    return unlessServedOtherwise(outcome, answer, () => chat({ messages: LONG_ANSWER }), 'with max_tokens')
  },
})

const ACCEPTED_TEMPERATURES = [
  { name: 'lowest', written: '0' },
  { name: 'lowest-with-point', written: '0.0' },
  { name: 'highest', written: '2' },
  { name: 'highest-with-point', written: '2.0' },
  { name: 'default', written: '1' },
  { name: 'default-with-point', written: '1.0' },
  { name: 'fraction', written: '0.7' },
] as const

const temperatureChecks = ACCEPTED_TEMPERATURES.map(({ name, written }) =>
  defineCheck({
    id: `4.2/temperature-${name}`,
    requirement: '4.2/temperature-range',
    title: `a temperature of ${written} is accepted`,
    operation: 'chat',
    needs: ['key', 'chatModel'],
    cost: costOf('chat', 1),
    async run(context) {
      const rawBody = chatText(context, `"max_tokens":16,"temperature":${written}`)
      return expect.success(await context.chat({}, { rawBody }), 'the request is answered')
    },
  }),
)

export const temperatureBelow = defineCheck({
  id: '4.2/temperature-below',
  requirement: '4.2/temperature-range',
  title: 'a temperature below 0 is refused with 400',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 2),
  async run({ chat }) {
    const twin = await chat({ temperature: TEMPERATURE.lowest })
    const refused = await chat({ temperature: TEMPERATURE.lowest - 0.1 })
    return expect.refusal(refused, 400, { becauseTwinWorks: twin })
  },
})

export const temperatureAbove = defineCheck({
  id: '4.2/temperature-above',
  requirement: '4.2/temperature-range',
  title: 'a temperature above 2 is refused with 400',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 2),
  async run({ chat }) {
    const twin = await chat({ temperature: TEMPERATURE.highest })
    const refused = await chat({ temperature: TEMPERATURE.highest + 0.1 })
    return expect.refusal(refused, 400, { becauseTwinWorks: twin })
  },
})

const NO_MESSAGES = ['Say hello.', null, 5, [{ role: 'user', content: 'Say hello.' }]]

export const messageNotAnObject = defineCheck({
  id: '4.2/message-not-an-object',
  requirement: '4.2/messages',
  title: 'a message that is no object is refused with 400',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 1 + NO_MESSAGES.length),
  async run({ chat }) {
    const twin = await chat({ messages: [{ role: 'user', content: 'Say hello.' }] })
    const mistakes: expect.Mistake[] = []
    for (const message of NO_MESSAGES) {
      mistakes.push({ what: `the message ${show(message)}`, answer: await chat({ messages: [message] }) })
    }
    return expect.everyRefusal(mistakes, 400, { becauseTwinWorks: twin })
  },
})

export const unicodeContent = defineCheck({
  id: '4.2/unicode-content',
  requirement: '4.2/messages',
  title: 'a message in any script is accepted',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: { requests: 1, chatTokens: 2 * SMALL_CHAT_TOKENS },
  async run({ chat }) {
    const messages = [{ role: 'user', content: 'Grüße, Привет, 你好, שלום, 👋🏽: greet me back.' }]
    return expect.success(await chat({ messages }), 'the request is answered')
  },
})

/** A JSON answer is not a stream: its body is a completion object and its media type is not that of a stream. */
function jsonAnswer(answer: Exchange): Outcome {
  return expect.holds(answer, 'a chat completion object, no stream', ({ json }) => {
    if (mediaType(answer) === 'text/event-stream') return 'the media type is text/event-stream'
    return isObject(json) ? undefined : 'the body is no JSON object'
  })
}

export const streamFalse = defineCheck({
  id: '4.2/stream-false',
  requirement: '4.2/answer-without-stream',
  title: 'with stream false the answer is a completion object',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 2),
  async run({ chat }) {
    const answer = await chat({ stream: false })
    return unlessServedOtherwise(jsonAnswer(answer), answer, () => chat(), 'without the parameter')
  },
})

export const streamDefault = defineCheck({
  id: '8/stream-default',
  requirement: '8/stream-default',
  title: 'without stream the answer is a completion object',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 1),
  run: async ({ chat }) => jsonAnswer(await chat({ stream: undefined })),
})

export const chatChecks: readonly Check[] = [
  ...parameterTableChecks('chat'),
  maxTokensBound,
  ...temperatureChecks,
  temperatureBelow,
  temperatureAbove,
  messageNotAnObject,
  unicodeContent,
  streamFalse,
]

export const chatDefaultChecks: readonly Check[] = [maxTokensDefault, streamDefault]
