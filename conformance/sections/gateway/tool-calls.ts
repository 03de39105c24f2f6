import { isDeepStrictEqual } from 'node:util'
import type { Exchange } from '../../http/exchange.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Seen, Trial } from '../../upstream/both-ends.ts'
import { createChange, defineForwardingCheck, describeForm } from './define-check.ts'
import { findDifference } from './is-same-value.ts'
import { isStream, readCallIds, readCalls, readUpstreamBody } from './read-response.ts'
import { getMember, isNonEmptyString } from '../shared/response-access.ts'

const CALLS = [
  { name: 'get_weather', arguments: { city: 'Zürich “Nord”', days: 0, note: '' } },
  { name: 'get_time', arguments: { zone: 'Asia/東京', format: '👍🏽 \\"HH"\n' } },
  { name: 'get_weather', arguments: { city: 'Πάτρα', days: 12_345, note: null } },
] as const

export const TOOLS = ['get_weather', 'get_time'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: 'Größe: “x”',
    // Gateways that write JSON anew lose empty lists, and digits of large integers.
    parameters: {
      type: 'object',
      properties: {},
      required: [],
      maxProperties: 2 ** 53 - 1,
      additionalProperties: true,
    },
  },
}))

const STREAM_FORMS = [
  { 'tool-call-order': 'sequential' },
  { 'tool-call-order': 'interleaved', 'bytes-per-write': 'split' },
  { 'tool-call-order': 'interleaved', 'tokens-per-chunk': 7 },
] as const

function findChangedCalls(seen: Seen): Deviation | undefined {
  const arrived = readCalls(seen.client)
  if (isDeepStrictEqual(arrived, CALLS)) return findLostIds(seen.client)
  const at = CALLS.findIndex((call, index) => !isDeepStrictEqual(call, arrived[index]))
  const first = at === -1 ? CALLS.length : at
  const other = arrived.length === 0 ? undefined : (arrived[first] ?? null)
  return createChange('tool-calls', CALLS[first] ?? CALLS.length, other, describeForm(seen))
}

/** Clients name a call by its ID in the message with its result. A gateway may replace the IDs. */
function findLostIds(client: Exchange): Deviation | undefined {
  const ids = readCallIds(client)
  if (ids.every(isNonEmptyString) && new Set(ids).size === ids.length) return undefined
  const arrived = ids.map((id) => id ?? null)
  return createChange('tool-call-ids', `${ids.length} different IDs`, arrived, { isStream: isStream(client) })
}

const CHOICE = { type: 'function', function: { name: 'get_time' } }
const FORMAT = {
  type: 'json_schema',
  json_schema: {
    name: 'answer',
    strict: true,
    schema: { type: 'object', properties: {}, additionalProperties: false },
  },
}

/** Chats with fields that the gateway must not change. */
const CHATS: readonly Trial[] = [
  { respond: { toolCalls: [CALLS[1]] }, fields: () => ({ tools: TOOLS, tool_choice: CHOICE }) },
  { respond: { json: {} }, fields: () => ({ response_format: FORMAT }) },
]

function findChangedTools({ trial, word, upstream }: Seen): Deviation | undefined {
  const body = upstream[0] && readUpstreamBody(upstream[0])
  for (const [name, value] of Object.entries(trial.fields?.(word) ?? {})) {
    const difference = findDifference(name, value, getMember(body, name))
    if (difference === undefined) continue
    const { path, sent, arrived } = difference
    return createChange('tools', sent, arrived, { name: path })
  }
  return undefined
}

export const toolCallChecks = [
  defineForwardingCheck({
    id: 'gateway/stream-tool-calls',
    requirement: 'gateway/tool-calls',
    title: 'forwards parallel tool calls of streams, also if their deltas interleave',
    trials: STREAM_FORMS.map((options) => ({
      respond: { toolCalls: CALLS, options },
      fields: () => ({ stream: true, tools: TOOLS, max_tokens: 1000 }),
    })),
    find: findChangedCalls,
  }),
  defineForwardingCheck({
    id: 'gateway/completion-tool-calls',
    requirement: 'gateway/tool-calls',
    title: 'forwards parallel tool calls of complete responses',
    trials: [{ respond: { toolCalls: CALLS }, fields: () => ({ tools: TOOLS, max_tokens: 1000 }) }],
    find: findChangedCalls,
  }),
  defineForwardingCheck({
    id: 'gateway/tools',
    requirement: 'gateway/parameters',
    title: 'forwards tools, tool_choice and response_format unchanged',
    trials: CHATS,
    rule: 'as-client-sent',
    find: findChangedTools,
  }),
]
