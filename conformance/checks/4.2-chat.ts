import { DEFAULTS, TEMPERATURE } from '../../contract/facts.ts'
import { defineCheck } from '../engine/check.ts'
import type { Check, Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { parameterTableChecks } from './4-parameters.ts'
import { chatText } from './observe.ts'
import { FEW_TOKENS, LONG_ANSWER, LONG_CHAT_TOKENS } from './long-answer.ts'
import { costOf, SMALL_CHAT_TOKENS } from './operation.ts'
import { at, isCount, isObject, mediaType, show } from './read.ts'
import { takesUsualForm, unlessServedOtherwise } from './usual-form.ts'

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

/** A request that leaves max_tokens out is one for 256: a target that serves it cannot find 256 too many. */
export const maxTokensGiven = defineCheck({
  id: '8/max-tokens-default-given',
  requirement: '8/max-tokens-default',
  title: `max_tokens ${DEFAULTS.max_tokens} is accepted, as it is when it is left out`,
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: { requests: 2, chatTokens: 2 * (SMALL_CHAT_TOKENS + DEFAULTS.max_tokens) },
  async run({ chat }) {
    const given = await chat({ max_tokens: DEFAULTS.max_tokens })
    return takesUsualForm(given, () => chat({ max_tokens: undefined }), 'without max_tokens')
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

/** Beside each end of the range, and a whole number: a target may look at numbers with a point alone. */
const REFUSED_TEMPERATURES = [
  { name: 'below', end: TEMPERATURE.lowest, values: [TEMPERATURE.lowest - 0.1, TEMPERATURE.lowest - 1] },
  { name: 'above', end: TEMPERATURE.highest, values: [TEMPERATURE.highest + 0.1, TEMPERATURE.highest + 1] },
] as const

const refusedTemperatureChecks = REFUSED_TEMPERATURES.map(({ name, end, values }) =>
  defineCheck({
    id: `4.2/temperature-${name}`,
    requirement: '4.2/temperature-range',
    title: `a temperature ${name} ${end} is refused with 400`,
    operation: 'chat',
    needs: ['key', 'chatModel'],
    cost: costOf('chat', 1 + values.length),
    async run({ chat }) {
      const twin = await chat({ temperature: end })
      const mistakes: expect.Mistake[] = []
      for (const temperature of values) {
        mistakes.push({ what: `temperature ${show(temperature)}`, answer: await chat({ temperature }) })
      }
      return expect.everyRefusal(mistakes, 400, { becauseTwinWorks: twin })
    },
  }),
)

const NO_MESSAGES = ['Say hello.', null, 5, true, [{ role: 'user', content: 'Say hello.' }]]

export const messageNotAnObject = defineCheck({
  id: '4.2/message-not-an-object',
  requirement: '4.2/messages',
  title: 'a message that is no object is refused with 400',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 2 + NO_MESSAGES.length),
  async run({ chat }) {
    const twin = await chat({ messages: [{ role: 'user', content: 'Say hello.' }] })
    const mistakes: expect.Mistake[] = []
    for (const message of NO_MESSAGES) {
      mistakes.push({ what: `the message ${show(message)}`, answer: await chat({ messages: [message] }) })
    }
    const second = NO_MESSAGES[0]
    const answer = await chat({ messages: [{ role: 'user', content: 'Say hello.' }, second] })
    mistakes.push({ what: `the second message ${show(second)}`, answer })
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
  ...refusedTemperatureChecks,
  messageNotAnObject,
  unicodeContent,
  streamFalse,
]

export const chatDefaultChecks: readonly Check[] = [maxTokensDefault, maxTokensGiven, streamDefault]
