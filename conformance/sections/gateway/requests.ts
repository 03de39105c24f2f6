import { fingerprintSecret } from '../../../common/secrets/fingerprint.ts'
import type { Deviation } from '../../findings/families.ts'
import { NO_KEY } from '../../requests/api-request.ts'
import { getItems, getMember } from '../shared/response-access.ts'
import type { Seen, Trial } from '../../upstream/both-ends.ts'
import {
  createChange,
  defineForwardingCheck,
  defineGatewayCheck,
  isServedThrough,
  markUnserved,
  observePolicy,
} from './define-check.ts'
import { isSameValue } from './is-same-value.ts'
import { readMessageText, readUpstreamBody } from './read-response.ts'
import { HOSTILE_TEXT } from './text.ts'

const CALL = { id: 'call_1', type: 'function', function: { name: 'get_time', arguments: '{"zone":"Asia/東京"}' } }

/** A conversation with every role, an empty text, and characters of several scripts. */
function buildConversation(word: string): readonly Readonly<Record<string, unknown>>[] {
  return [
    { role: 'system', content: 'Be brief – “knapp”.' },
    { role: 'user', content: HOSTILE_TEXT },
    { role: 'assistant', content: '', tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'call_1', content: '{"time": "12:00"}' },
    { role: 'assistant', content: '正午です。' },
    { role: 'user', content: `Once more, ${word}?` },
  ]
}

function findChangedMessages({ word, upstream }: Seen): Deviation | undefined {
  const [request] = upstream
  const arrived = getItems(getMember(request && readUpstreamBody(request), 'messages'))
  const sent = buildConversation(word)
  const at = sent.findIndex((message, index) => !isSameMessage(message, arrived[index]))
  if (at === -1 && arrived.length === sent.length) return undefined
  const index = at === -1 ? sent.length : at
  return createChange('messages', sent[index], arrived[index])
}

/** A gateway may send text as a list of parts, and null for an empty text. */
function isSameMessage(sent: Readonly<Record<string, unknown>>, arrived: unknown): boolean {
  const calls = getItems(getMember(arrived, 'tool_calls'))
  return (
    sent['role'] === getMember(arrived, 'role') &&
    readMessageText(sent) === readMessageText(arrived) &&
    isSameValue(getItems(sent['tool_calls']), calls) &&
    sent['tool_call_id'] === getMember(arrived, 'tool_call_id')
  )
}

/** Chats with values of parameters that gateways drop or change. The gateway may choose whether the upstream streams. */
const CHATS: readonly Trial[] = [
  { respond: { text: 'One.' }, fields: () => ({ temperature: 0, max_tokens: 17 }) },
  { respond: { text: 'One.' }, fields: () => ({ temperature: 2, max_tokens: 1 }) },
  { respond: { text: 'One.' }, fields: () => ({ temperature: 0.7, max_tokens: 1000 }) },
]

const LANGUAGE = 'fr'

function findChangedParameter({ trial, word, upstream }: Seen): Deviation | undefined {
  const [request] = upstream
  const body = request === undefined ? undefined : readUpstreamBody(request)
  for (const [name, sent] of Object.entries(trial.fields?.(word) ?? {})) {
    const arrived = readParameter(body, name)
    if (arrived !== sent) return createChange('parameter', sent, arrived, { name })
  }
  return undefined
}

/** Reads a parameter by its newer name too. */
function readParameter(body: unknown, name: string): unknown {
  const value = getMember(body, name)
  return name === 'max_tokens' ? (value ?? getMember(body, 'max_completion_tokens')) : value
}

function findChangedLanguage({ upstream }: Seen): Deviation | undefined {
  const form = upstream.at(-1)?.bodies?.request ?? ''
  const arrived = /name="?language"?(?:;[^\r\n]*)?\r?\n(?:[^\r\n]+\r?\n)*\r?\n([^\r\n]*)/.exec(form)?.[1]
  return arrived === LANGUAGE ? undefined : createChange('parameter', LANGUAGE, arrived, { name: 'language' })
}

/** Parameters of OpenAI's API that clients often send, and that the specification does not mention. */
const OPENAI_PARAMETERS = {
  top_p: 0.9,
  stop: ['###'],
  seed: 7,
  user: 'u-1',
  presence_penalty: 0.1,
  frequency_penalty: 0.1,
} as const

export const requestChecks = [
  defineForwardingCheck({
    id: 'gateway/messages',
    requirement: 'gateway/messages',
    title: 'forwards messages unchanged and in order',
    trials: [{ respond: { text: 'One.' }, fields: (word) => ({ messages: buildConversation(word) }) }],
    rule: 'as-client-sent',
    find: findChangedMessages,
  }),
  defineForwardingCheck({
    id: 'gateway/parameters',
    requirement: 'gateway/parameters',
    title: 'forwards documented parameters of chats with their values, also 0',
    trials: CHATS,
    rule: 'as-client-sent',
    find: findChangedParameter,
  }),
  defineForwardingCheck({
    id: 'gateway/image-parameters',
    requirement: 'gateway/parameters',
    title: 'forwards documented parameters of images with their values',
    operation: 'images',
    trials: [{ operation: 'images', respond: { generated: true }, fields: () => ({ n: 2, size: '512x512' }) }],
    rule: 'as-client-sent',
    find: findChangedParameter,
  }),
  defineForwardingCheck({
    id: 'gateway/speech-parameters',
    requirement: 'gateway/parameters',
    title: 'forwards documented parameters of speech with their values',
    operation: 'speech',
    trials: [{ operation: 'speech', respond: { generated: true }, fields: () => ({ voice: 'nova' }) }],
    rule: 'as-client-sent',
    find: findChangedParameter,
  }),
  defineForwardingCheck({
    id: 'gateway/transcription-parameters',
    requirement: 'gateway/parameters',
    title: 'forwards documented parameters of transcriptions with their values',
    operation: 'transcriptions',
    alone: true,
    trials: [{ operation: 'transcriptions', respond: { text: 'Un.' }, form: { language: LANGUAGE } }],
    rule: 'as-client-sent',
    find: findChangedLanguage,
  }),
  defineGatewayCheck({
    id: 'gateway/unknown-parameters',
    requirement: 'gateway/unknown-parameters',
    title: 'unknown parameters, null, and 1.0 for an integer',
    requests: 3,
    async run(ends) {
      const describe = (seen: Seen, names: readonly string[]): string | { readonly rejected: number } => {
        const [request] = seen.upstream
        if (request === undefined || !isServedThrough(seen)) return { rejected: seen.client.status }
        const body = Object(readUpstreamBody(request))
        const dropped = names.filter((name) => !(name in body))
        const known = dropped.filter((name) => name in OPENAI_PARAMETERS)
        return dropped.length === 0 ? 'forwarded' : known.length === 0 ? 'dropped' : `dropped: ${dropped.join(', ')}`
      }
      const respond = { text: 'One.' }
      const unknownParameters = { x_unknown: 1, ...OPENAI_PARAMETERS }
      const rewrite = (json: string): string => json.replace('"max_tokens":16', '"max_tokens":16.0')
      const [unknown, empty, decimal] = await ends.sendAll([
        { respond, fields: () => unknownParameters },
        { respond, fields: () => ({ temperature: null }) },
        { respond, fields: () => ({ max_tokens: 16 }), rewrite },
      ])
      const arrived = decimal.upstream.at(-1)?.bodies?.request ?? ''
      const isKept = /":\s*16\.0\b/.test(arrived)
      return observePolicy({
        unknown: describe(unknown, Object.keys(unknownParameters)),
        null: describe(empty, ['temperature']),
        '16.0': isServedThrough(decimal)
          ? isKept
            ? 'forwarded'
            : 'written as 16'
          : { rejected: decimal.client.status },
      })
    },
  }),
]

/** Header fields of the client with values that the suite recognizes. */
const REQUEST_HEADERS = {
  'user-agent': 'client-program/4711',
  'x-request-id': 'c0ffee00-4712',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'openai-organization': 'org-4713',
  'x-client-field': 'field-4714',
} as const

const RESPONSE_HEADERS = {
  'x-ratelimit-remaining-requests': '4722',
  'openai-processing-ms': '4723',
  'x-upstream-field': 'field-4724',
} as const

/** A chat completion that the upstream sends unchanged, with header fields. */
const COMPLETION = {
  id: 'chatcmpl-upstream',
  object: 'chat.completion',
  created: 1_750_000_000,
  model: 'upstream',
  choices: [{ index: 0, message: { role: 'assistant', content: 'One.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
}

export const headerChecks = [
  defineGatewayCheck({
    id: 'gateway/request-headers',
    requirement: 'gateway/headers',
    title: "header fields of the client, and the client's key",
    requests: 1,
    async run(ends, { keys }) {
      const seen = await ends.send({ respond: { text: 'One.' }, headers: REQUEST_HEADERS })
      const [request] = seen.upstream
      if (request?.requestHeaders === undefined) return markUnserved(seen)
      const { requestHeaders, keyFingerprint } = request
      const own = fingerprintSecret(keys.funded)
      const isOwnKey = keyFingerprint === own
      const isElsewhere = Object.values(requestHeaders).some((value) => value.includes(own))
      return observePolicy({
        key: describeKey(keys.funded, isOwnKey || isElsewhere, keyFingerprint),
        ...compareHeaders(REQUEST_HEADERS, requestHeaders),
      })
    },
  }),
  defineGatewayCheck({
    id: 'gateway/response-headers',
    requirement: 'gateway/headers',
    title: 'header fields of the upstream',
    requests: 1,
    async run(ends) {
      const respond = { status: 200, headers: RESPONSE_HEADERS, body: COMPLETION }
      const seen = await ends.send({ respond })
      if (!isServedThrough(seen)) return markUnserved(seen)
      const arrived = seen.client.headers['x-request-id']
      const requestId = seen.upstream.find(({ id }) => id === arrived)?.id ?? seen.upstream.at(-1)?.id ?? ''
      return observePolicy(compareHeaders({ 'x-request-id': requestId, ...RESPONSE_HEADERS }, seen.client.headers))
    },
  }),
]

function describeKey(sent: string, isForwarded: boolean, arrived: string | null): string {
  if (sent === NO_KEY) return arrived === null ? 'none' : 'added'
  if (isForwarded) return 'forwarded'
  return arrived === null ? 'dropped' : 'replaced'
}

function compareHeaders(
  sent: Readonly<Record<string, string>>,
  arrived: Readonly<Record<string, string>>,
): Record<string, string> {
  const describe = ([name, value]: readonly [string, string]): [string, string] => {
    const seen = arrived[name]
    return [name, seen === undefined ? 'dropped' : seen === value ? 'forwarded' : 'replaced']
  }
  return Object.fromEntries(Object.entries(sent).map(describe))
}
