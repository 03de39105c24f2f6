import type { Deviation } from '../../findings/families.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import type { Seen } from '../../upstream/both-ends.ts'
import { compareText } from './compare-text.ts'
import { createChange, defineForwardingCheck, defineGatewayCheck, describeForm, observeServed } from './define-check.ts'
import { ACCEPTS_COMPRESSION, isStream, readFinishReason, readText } from './read-response.ts'
import { getMember } from '../shared/response-access.ts'
import { parseStream } from '../shared/stream.ts'
import { TOOLS } from './tool-calls.ts'

/** A text with characters that gateways damage: of several scripts, joined emoji, escapes of JSON, and the end mark. */
export const HOSTILE_TEXT = [
  '\n “Grüße – naïve café”, €5 ½; ',
  '中文字符，日本語のテキスト、한국어 문장, हिन्दी में पाठ, نص عربي. ',
  '👩‍👩‍👧‍👦 👍🏽 🇯🇵 e\u0301 ',
  'a "quoted" \\n back\\slash\ttab\n\ndata: [DONE]\n\n',
  '```ts\nconst a = `${b}`\n```\n<b>&amp;</b> {"json": [1, null]} \u2028 end \n',
].join('')

/** Forms in which a real upstream sends a stream, as options of the emulator. */
const STREAM_FORMS: readonly Readonly<Record<string, string | number>>[] = [
  {},
  { 'bytes-per-write': 'split' },
  { 'bytes-per-write': 'one' },
  { 'tokens-per-chunk': 5 },
  { 'field-space': 'none', 'finish-reason-place': 'last-content' },
  { 'line-ends': 'crlf', 'event-fields': 'id-and-retry', 'keep-alive-comments': 'each' },
  { 'padding-bytes': 70_000 },
  { 'delta-role': 'each', 'stream-usage': 'each' },
  { 'delta-role': 'none', 'after-stream': 'closed' },
]

/** A text of about 160 KB: above 64 KB, where buffers of gateways end, and of a length that real models write. */
const LARGE_TEXT = HOSTILE_TEXT.repeat(400)

const LARGE_RESPONSE = {
  status: 200,
  body: {
    id: 'chatcmpl-large',
    object: 'chat.completion',
    created: 1_750_000_000,
    model: 'upstream',
    choices: [{ index: 0, message: { role: 'assistant', content: LARGE_TEXT }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 4, completion_tokens: 40_000, total_tokens: 40_004 },
  },
}

const COMPLETION_FORMS = [{ 'body-length': 'content-length' }, { 'body-length': 'chunked' }] as const

function findChangedText(seen: Seen): Deviation | undefined {
  const { client } = seen
  const broken = isStream(client) ? parseStream(client).chunks.find(({ json }) => json === undefined) : undefined
  if (broken !== undefined) {
    const { form } = describeForm(seen)
    return { code: 'gateway-broke-event', params: { data: createExcerpt(broken.data), ...(form && { form }) } }
  }
  const difference = compareText(
    seen.trial.respond === LARGE_RESPONSE ? LARGE_TEXT : HOSTILE_TEXT,
    readText(client) ?? '',
  )
  return difference && { code: 'gateway-changed', params: { part: 'text', ...difference, ...describeForm(seen) } }
}

export const textChecks = [
  defineForwardingCheck({
    id: 'gateway/stream-text',
    requirement: 'gateway/text',
    title: 'forwards the text of streams character by character, however the upstream splits it',
    trials: STREAM_FORMS.map((options) => ({
      respond: { text: HOSTILE_TEXT, options },
      fields: () => ({ stream: true, max_tokens: 1000 }),
    })),
    find: findChangedText,
  }),
  defineForwardingCheck({
    id: 'gateway/completion-text',
    requirement: 'gateway/text',
    title: 'forwards the text of complete responses character by character, also of long ones',
    trials: [...COMPLETION_FORMS.map((options) => ({ text: HOSTILE_TEXT, options })), LARGE_RESPONSE].map(
      (respond) => ({
        respond,
        fields: () => ({ max_tokens: 1000 }),
      }),
    ),
    find: findChangedText,
  }),
  defineForwardingCheck({
    id: 'gateway/compressed-text',
    requirement: 'gateway/text',
    title: 'forwards text character by character if the client accepts compression',
    trials: [true, false].map((stream) => ({
      respond: { text: HOSTILE_TEXT },
      fields: () => ({ stream, max_tokens: 1000 }),
      headers: ACCEPTS_COMPRESSION,
    })),
    find: findChangedText,
  }),
]

/** Responses with each reason, and tool calls that the upstream cut because of max_tokens. */
const ENDINGS = [
  { text: 'One two three.', finishReason: 'stop' },
  { text: 'One two three.', finishReason: 'length' },
  { text: 'One two three.', finishReason: 'content_filter' },
  { toolCalls: [{ name: 'get_time', arguments: {} }], finishReason: 'tool_calls' },
  { toolCalls: [{ name: 'get_time', arguments: {} }], finishReason: 'length' },
] as const

function findChangedReason({ trial, client }: Seen): Deviation | undefined {
  const sent = trial.respond['finishReason']
  const arrived = readFinishReason(client) ?? undefined
  return arrived === sent ? undefined : createChange('finish-reason', sent, arrived, { isStream: isStream(client) })
}

function defineFinishReasonCheck(stream: boolean) {
  return defineForwardingCheck({
    id: stream ? 'gateway/stream-finish-reason' : 'gateway/completion-finish-reason',
    requirement: 'gateway/finish-reason',
    title: `forwards the finish_reason of a ${stream ? 'stream' : 'completion'}`,
    trials: ENDINGS.map((respond) => ({
      respond,
      fields: () => ({ stream, ...('toolCalls' in respond ? { tools: TOOLS } : {}) }),
    })),
    find: findChangedReason,
  })
}

export const finishReasonChecks = [defineFinishReasonCheck(true), defineFinishReasonCheck(false)]

const TOKEN = { token: 'One', logprob: -0.5, bytes: [79, 110, 101], top_logprobs: [] }

/** A chat completion with fields that the specification does not define, which the upstream sends unchanged. */
const OTHER_FIELDS = {
  id: 'chatcmpl-upstream',
  object: 'chat.completion',
  created: 1_750_000_000,
  model: 'upstream',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'One',
        refusal: 'No more.',
        annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.com', title: 'One' } }],
      },
      logprobs: { content: [TOKEN], refusal: null },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 4, completion_tokens: 1, total_tokens: 5 },
  system_fingerprint: 'fp_1',
}

/** Text of a completion that a stream with these options has. */
const SHORT_TEXT = 'One two three four five.'

export const eventFormChecks = [
  defineGatewayCheck({
    id: 'gateway/event-form',
    requirement: 'gateway/event-form',
    title: 'events, comments, id lines and unknown fields of streams',
    requests: 1,
    async run(ends) {
      const options = { 'keep-alive-comments': 'each', 'event-fields': 'id', 'padding-bytes': 40 }
      const seen = await ends.send({ respond: { text: SHORT_TEXT, options }, fields: () => ({ stream: true }) })
      return observeServed([seen], () => {
        const { client, upstream } = seen
        const sentEvents = (upstream[0]?.bodies?.response.match(/^data: /gm) ?? []).length
        const arrived = client.events.length
        return {
          events: arrived === sentEvents ? 'one for each event' : arrived < sentEvents ? 'fewer' : 'more',
          comments: /^:/m.test(client.text) ? 'forwarded' : 'dropped',
          'id lines': client.events.some(({ id }) => id !== undefined && id !== '') ? 'forwarded' : 'dropped',
          'unknown fields': client.text.includes('"obfuscation"') ? 'forwarded' : 'dropped',
        }
      })
    },
  }),
  defineGatewayCheck({
    id: 'gateway/other-fields',
    requirement: 'gateway/event-form',
    title: 'logprobs, refusal and other fields of complete responses',
    requests: 1,
    async run(ends) {
      const seen = await ends.send({ respond: { status: 200, body: OTHER_FIELDS }, fields: () => ({ logprobs: true }) })
      return observeServed([seen], () => {
        const choice = getMember(seen.client.json, 'choices', 0)
        const describe = (value: unknown): string => (value === undefined || value === null ? 'dropped' : 'forwarded')
        return {
          logprobs: describe(getMember(choice, 'logprobs', 'content', 0)),
          refusal: describe(getMember(choice, 'message', 'refusal')),
          annotations: describe(getMember(choice, 'message', 'annotations', 0)),
          system_fingerprint: describe(getMember(seen.client.json, 'system_fingerprint')),
        }
      })
    },
  }),
  defineGatewayCheck({
    id: 'gateway/reasoning',
    requirement: 'gateway/event-form',
    title: 'reasoning_content of streams and complete responses',
    requests: 2,
    async run(ends) {
      const reasoning = 'The question is short: 短い。'
      const respond = { text: SHORT_TEXT, reasoning, options: { reasoning: 'reasoning_content' } }
      const [stream, completion] = await Promise.all([
        ends.send({ respond, fields: () => ({ stream: true }) }),
        ends.send({ respond }),
      ])
      const name = (seen: Seen): string =>
        /"reasoning(_content)?":\s*"[^"]/.test(seen.client.text) ? 'forwarded' : 'dropped'
      return observeServed([stream, completion], () => ({
        streams: name(stream),
        'complete responses': name(completion),
      }))
    },
  }),
]
