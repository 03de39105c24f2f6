import { PARAMETER_DEFAULTS, TEMPERATURE_RANGE } from '../../../contract/facts.ts'
import { type Check, defineCheck, calculateMaxCost, SMALL_CHAT_TOKENS } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { SMALL_MAX_TOKENS } from '../../requests/small-max-tokens.ts'
import { buildParameterChecks } from '../4-http/parameters.ts'
import { buildChatJson } from '../shared/observation-check.ts'
import {
  boundOf,
  LONG_COMPLETION_MESSAGES,
  LONG_CHAT_TOKENS,
  type TokenBound,
  UNICODE_GREETING,
} from '../shared/long-completion.ts'
import { getCompletionTokens, getMember, isObject, getMediaType } from '../shared/response-access.ts'
import { checkCommonForm, checkServedLikePlain, retryInCommonForm } from '../shared/common-form.ts'

const PARAMETER_IDS = {
  model: { requirement: '4.2/model', missing: '4.2/model-missing', wrongType: '4.2/model-wrong-type' },
  messages: { requirement: '4.2/messages', missing: '4.2/messages-missing', wrongType: '4.2/messages-wrong-type' },
  max_tokens: {
    requirement: '4.2/max-tokens',
    wrongType: '4.2/max-tokens-wrong-type',
    fraction: '4.2/max-tokens-fraction',
  },
  temperature: { requirement: '4.2/temperature', wrongType: '4.2/temperature-wrong-type' },
  stream: { requirement: '4.2/stream', wrongType: '4.2/stream-wrong-type' },
} as const

/** Minimum words of a completion that exceeds the bound, as a multiple of the bound. Words are at least one token. */
const MIN_WORDS_RATIO = 2

/**
 * Compares the length of a completion with `max_tokens`. A completion that ends before the bound also passes, but with
 * the code `bound-not-reached`. Without usage, only the text can show the length; another check tests the usage itself.
 */
function expectBounded(response: Exchange, { bound, ...kind }: TokenBound): Outcome {
  const path = 'usage.completion_tokens'
  const expected: Expectation = { field: path, atMost: bound }
  const tokens = getCompletionTokens(response.json)
  const content = getMember(response.json, 'choices', 0, 'message', 'content')
  const text = typeof content === 'string' ? content : ''
  const outcome = expect.checkResponse(response, expected, () => {
    if (tokens !== undefined) {
      return tokens <= bound ? undefined : { code: 'bound-exceeded', params: { path, actual: tokens, ...kind } }
    }
    const words = text.split(/\s+/).filter(Boolean).length
    return words > MIN_WORDS_RATIO * bound ? { code: 'text-exceeds-bound', params: { words, ...kind } } : undefined
  })
  if (outcome.verdict !== 'pass') return outcome
  if (tokens === undefined) {
    const hasZeroTokens = getMember(response.json, 'usage', 'completion_tokens') === 0
    const bytes = Buffer.byteLength(text)
    return bytes > 0 && bytes <= bound
      ? expect.pass(expected, { kind: 'short-text', bytes })
      : expect.markNotTestable({ code: 'no-evidence', params: { missing: hasZeroTokens ? 'token-count' : 'usage' } })
  }
  return tokens < bound
    ? { verdict: 'pass', expected, code: 'bound-not-reached', params: { actual: tokens } }
    : expect.pass(expected, { kind: 'tokens', tokens })
}

export const maxTokensBoundCheck = defineCheck({
  id: '4.2/max-tokens-bound',
  requirement: '4.2/max-tokens',
  title: 'returns no more tokens than max_tokens',
  operation: 'chat',
  parameter: 'max_tokens',
  cost: { requests: 1, chatTokens: LONG_CHAT_TOKENS },
  async run({ shared, smallMaxTokens }) {
    return expectBounded(await shared.chat({ messages: LONG_COMPLETION_MESSAGES }), boundOf(smallMaxTokens))
  },
})

const TRUNCATED_EARLY = 'applications that send no max_tokens get incomplete completions'

export const maxTokensDefaultCheck = defineCheck({
  id: '8/max-tokens-default',
  requirement: '8/max-tokens-default',
  title: `returns at most ${PARAMETER_DEFAULTS.max_tokens} tokens without max_tokens`,
  operation: 'chat',
  parameter: 'max_tokens',
  cost: { requests: 2, chatTokens: 2 * (LONG_CHAT_TOKENS + PARAMETER_DEFAULTS.max_tokens) },
  async run({ chat, smallMaxTokens }) {
    const response = await chat({ messages: LONG_COMPLETION_MESSAGES, max_tokens: undefined })
    const bounded = expectBounded(response, boundOf(undefined))
    const isTruncated = getMember(response.json, 'choices', 0, 'finish_reason') === 'length'
    // Section 2.3 does not define "length", so an early truncation is only a warning.
    const outcome =
      bounded.code === 'bound-not-reached' && bounded.expected !== undefined && isTruncated
        ? expect.warn(bounded.expected, { code: 'truncated-below-default', params: bounded.params }, TRUNCATED_EARLY)
        : bounded
    return retryInCommonForm(outcome, response, {
      servedWith: { parameter: 'max_tokens', value: smallMaxTokens },
      send: () => chat({ messages: LONG_COMPLETION_MESSAGES }),
    })
  },
})

const ACCEPTED_TEMPERATURES = [
  { id: '4.2/temperature-lowest', written: '0' },
  { id: '4.2/temperature-lowest-with-point', written: '0.0' },
  { id: '4.2/temperature-highest', written: '2' },
  { id: '4.2/temperature-highest-with-point', written: '2.0' },
  { id: '4.2/temperature-default', written: '1' },
  { id: '4.2/temperature-default-with-point', written: '1.0' },
  { id: '4.2/temperature-fraction', written: '0.7' },
] as const

/** Temperatures outside the range: on each side, one that is 0.1 outside and one that is 1 outside. */
const INVALID_TEMPERATURES = [
  {
    id: '4.2/temperature-below',
    title: 'returns 400 for a temperature below 0',
    end: TEMPERATURE_RANGE.min,
    values: [TEMPERATURE_RANGE.min - 0.1, TEMPERATURE_RANGE.min - 1],
  },
  {
    id: '4.2/temperature-above',
    title: 'returns 400 for a temperature above 2',
    end: TEMPERATURE_RANGE.max,
    values: [TEMPERATURE_RANGE.max + 0.1, TEMPERATURE_RANGE.max + 1],
  },
] as const

const INVALID_MESSAGES = ['Say hello.', null, 5, true, [{ role: 'user', content: 'Say hello.' }]]

/** Replaces each UTF-16 code unit outside ASCII with its escape sequence (RFC 8259, section 7). */
function escapeNonAscii(json: string): string {
  return json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Expects a JSON completion that is not labelled as a stream (`text/event-stream`). */
function expectJsonCompletion(response: Exchange): Outcome {
  return expect.checkResponse(response, { rule: 'json-completion' }, ({ json }) => {
    const actualMediaType = getMediaType(response)
    if (actualMediaType === 'text/event-stream') return { code: 'unexpected-media-type', params: { actualMediaType } }
    return isObject(json) ? undefined : { code: 'wrong-body', params: { problem: 'not-a-json-object' } }
  })
}

export const chatChecks: readonly Check[] = [
  ...buildParameterChecks('chat', PARAMETER_IDS),
  maxTokensBoundCheck,
  ...ACCEPTED_TEMPERATURES.map(({ id, written }) =>
    defineCheck({
      id,
      requirement: '4.2/temperature-range',
      title: `accepts a temperature of ${written}`,
      operation: 'chat',
      cost: calculateMaxCost('chat', 2),
      async run(context) {
        const temperature = Number(written)
        const rawBody = buildChatJson(context, `"temperature":${written}`)
        const isUsual = written === String(temperature)
        const response = await (isUsual ? context.shared.chat({ temperature }) : context.chat({}, { rawBody }))
        const outcome = await checkServedLikePlain(response, context)
        if (outcome.verdict !== 'fail') return outcome
        return expect.addDifference({ parameter: 'temperature', value: temperature }, outcome)
      },
    }),
  ),
  ...INVALID_TEMPERATURES.map(({ id, title, end, values }) =>
    defineCheck({
      id,
      requirement: '4.2/temperature-range',
      title,
      operation: 'chat',
      cost: calculateMaxCost('chat', 1 + values.length),
      async run({ shared }) {
        const control = await shared.chat({ temperature: end })
        const invalid: expect.InvalidRequest[] = []
        for (const temperature of values) {
          const response = await shared.chat({ temperature })
          invalid.push({ difference: { parameter: 'temperature', value: temperature }, response })
        }
        return expect.checkErrorResponses(invalid, 400, { control })
      },
    }),
  ),
  defineCheck({
    id: '4.2/message-not-an-object',
    requirement: '4.2/messages',
    title: 'returns 400 for a message that is not an object',
    operation: 'chat',
    cost: calculateMaxCost('chat', 2 + INVALID_MESSAGES.length),
    async run({ chat, shared }) {
      const control = await shared.chat({ messages: [{ role: 'user', content: 'Say hello.' }] })
      const invalid: expect.InvalidRequest[] = []
      for (const message of INVALID_MESSAGES) {
        const response = await chat({ messages: [message] })
        invalid.push({ difference: { parameter: 'messages[0]', value: createExcerpt(message) }, response })
      }
      const second = INVALID_MESSAGES[0]
      const response = await chat({ messages: [{ role: 'user', content: 'Say hello.' }, second] })
      invalid.push({ difference: { parameter: 'messages[1]', value: createExcerpt(second) }, response })
      return expect.checkErrorResponses(invalid, 400, { control })
    },
  }),
  defineCheck({
    id: '4.2/unicode-content',
    requirement: '4.2/messages',
    title: 'accepts a message in any script',
    operation: 'chat',
    cost: { requests: 4, chatTokens: 6 * SMALL_CHAT_TOKENS },
    async run(context) {
      const { chat, models, smallFields } = context
      const message = { role: 'user', content: `ESCAPED ${UNICODE_GREETING}` }
      const json = JSON.stringify({ model: models.chat, messages: [message], ...smallFields })
      // Several clients escape all characters outside ASCII, for example those that use Python's json module.
      const rawBody = json.replace('ESCAPED', escapeNonAscii(UNICODE_GREETING))
      const outcome = await checkServedLikePlain(await chat({}, { rawBody }), context)
      if (outcome.verdict !== 'fail') return outcome
      const unescaped = expect.checkSuccess(await chat({ messages: [{ role: 'user', content: UNICODE_GREETING }] }))
      return unescaped.verdict === 'pass' ? outcome : unescaped
    },
  }),
  defineCheck({
    id: '4.2/stream-false',
    requirement: '4.2/answer-without-stream',
    title: 'returns a completion object with stream false',
    operation: 'chat',
    cost: calculateMaxCost('chat', 2),
    async run({ chat, shared }) {
      const response = await shared.chat({ stream: false })
      return retryInCommonForm(expectJsonCompletion(response), response, {
        servedWith: { parameter: 'stream', omitted: true },
        send: () => chat(),
      })
    },
  }),
]

export const chatDefaultChecks: readonly Check[] = [
  maxTokensDefaultCheck,
  // A target that serves a request without max_tokens cannot reject its default of 256 as too large.
  defineCheck({
    id: '8/max-tokens-default-given',
    requirement: '8/max-tokens-default',
    title: `accepts max_tokens ${PARAMETER_DEFAULTS.max_tokens}, its default`,
    operation: 'chat',
    parameter: 'max_tokens',
    cost: { requests: 2, chatTokens: 2 * (SMALL_CHAT_TOKENS + PARAMETER_DEFAULTS.max_tokens) },
    async run({ chat }) {
      const given = await chat({ max_tokens: PARAMETER_DEFAULTS.max_tokens })
      return checkCommonForm(given, {
        servedWith: { parameter: 'max_tokens', omitted: true },
        send: () => chat({ max_tokens: undefined }),
      })
    },
  }),
  // One completion does not show its temperature, so the check shows only that the parameter has a default.
  defineCheck({
    id: '8/temperature-default',
    requirement: '8/temperature-default',
    title: 'serves a chat without temperature',
    operation: 'chat',
    cost: calculateMaxCost('chat', 2),
    async run({ shared }) {
      return checkCommonForm(await shared.chat({ temperature: undefined }), {
        servedWith: { parameter: 'temperature', value: PARAMETER_DEFAULTS.temperature },
        send: () => shared.chat({ temperature: PARAMETER_DEFAULTS.temperature }),
      })
    },
  }),
  defineCheck({
    id: '8/stream-default',
    requirement: '8/stream-default',
    title: 'returns a completion object if the request has no field stream',
    operation: 'chat',
    cost: calculateMaxCost('chat', 2),
    async run({ shared }) {
      const response = await shared.chat({ stream: undefined })
      return retryInCommonForm(expectJsonCompletion(response), response, {
        servedWith: { parameter: 'stream', value: false },
        send: () => shared.chat({ stream: false }),
      })
    },
  }),
]

/** Upper bound of the tokens that a chat template adds around a message. */
const FRAME_TOKENS = 48

/**
 * Checks of messages with an image. The specification defines neither the form of such a message nor the models that
 * accept it, so the owner of the target must declare both.
 */
export const visionChecks: readonly Check[] = [
  defineCheck({
    id: '4.2/vision',
    requirement: '4.2/streaming-and-vision',
    title: 'accepts a message with an image, as declared for this target',
    operation: 'chat',
    needs: ['funded'],
    declaration: 'vision',
    cost: { requests: 1 },
    costWith({ declarations: { vision } }) {
      if (vision === undefined) return { requests: 1 }
      const tokens = Buffer.byteLength(JSON.stringify(vision.content)) + SMALL_MAX_TOKENS.larger + FRAME_TOKENS
      return { requests: 1, tokensByModel: { [vision.model]: tokens } }
    },
    async run({ shared, declared: { vision } }) {
      const messages = [{ role: 'user', content: vision?.content ?? [] }]
      const response = await shared.chat({ model: vision?.model, messages })
      return expect.checkSuccess(response)
    },
  }),
]
