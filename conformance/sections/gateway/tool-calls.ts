import { isDeepStrictEqual } from 'node:util'
import type { Exchange } from '../../http/exchange.ts'
import type { Deviation } from '../../findings/families.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import type { Seen } from '../../upstream/both-ends.ts'
import { defineGatewayCheck, getForm, judge } from './define-check.ts'
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

function findChangedCalls({ trial, client }: Seen): Deviation | undefined {
  const arrived = readCalls(client)
  if (isDeepStrictEqual(arrived, CALLS)) return findLostIds(client)
  const at = CALLS.findIndex((call, index) => !isDeepStrictEqual(call, arrived[index]))
  const first = at === -1 ? CALLS.length : at
  return {
    code: 'gateway-changed',
    params: {
      part: 'tool-calls',
      sent: createExcerpt(CALLS[first] ?? CALLS.length),
      ...(arrived.length === 0 ? {} : { arrived: createExcerpt(arrived[first] ?? null) }),
      isStream: isStream(client),
      ...getForm(trial),
    },
  }
}

/** Clients name a call by its ID in the message with its result. A gateway may replace the IDs. */
function findLostIds(client: Exchange): Deviation | undefined {
  const ids = readCallIds(client)
  if (ids.every(isNonEmptyString) && new Set(ids).size === ids.length) return undefined
  const params = {
    part: 'tool-call-ids',
    sent: `${ids.length} different IDs`,
    arrived: createExcerpt(ids.map((id) => id ?? null)),
    isStream: isStream(client),
  } as const
  return { code: 'gateway-changed', params }
}

export const toolCallChecks = [
  defineGatewayCheck({
    id: 'gateway/stream-tool-calls',
    requirement: 'gateway/tool-calls',
    title: 'forwards parallel tool calls of streams, also if their deltas interleave',
    requests: STREAM_FORMS.length,
    async run(ends) {
      const fields = () => ({ stream: true, tools: TOOLS, max_tokens: 1000 })
      const all = await ends.sendAll(
        STREAM_FORMS.map((options) => ({ respond: { toolCalls: CALLS, options }, fields })),
      )
      return judge(ends, all, { rule: 'as-upstream-sent' }, findChangedCalls)
    },
  }),
  defineGatewayCheck({
    id: 'gateway/completion-tool-calls',
    requirement: 'gateway/tool-calls',
    title: 'forwards parallel tool calls of complete responses',
    requests: 1,
    async run(ends) {
      const seen = await ends.send({
        respond: { toolCalls: CALLS },
        fields: () => ({ tools: TOOLS, max_tokens: 1000 }),
      })
      return judge(ends, [seen], { rule: 'as-upstream-sent' }, findChangedCalls)
    },
  }),
  defineGatewayCheck({
    id: 'gateway/tools',
    requirement: 'gateway/parameters',
    title: 'forwards tools, tool_choice and response_format unchanged',
    requests: 2,
    async run(ends) {
      const choice = { type: 'function', function: { name: 'get_time' } }
      const format = {
        type: 'json_schema',
        json_schema: {
          name: 'answer',
          strict: true,
          schema: { type: 'object', properties: {}, additionalProperties: false },
        },
      }
      const all: readonly Seen[] = await ends.sendAll([
        { respond: { toolCalls: [CALLS[1]] }, fields: () => ({ tools: TOOLS, tool_choice: choice }) },
        { respond: { json: {} }, fields: () => ({ response_format: format }) },
      ])
      const sent = [{ tools: TOOLS, tool_choice: choice }, { response_format: format }] as const
      return judge(ends, all, { rule: 'as-client-sent' }, (seen) => {
        const [request] = seen.upstream
        const body = request === undefined ? undefined : readUpstreamBody(request)
        for (const [name, value] of Object.entries(sent[all.indexOf(seen)] ?? {})) {
          const difference = findDifference(name, value, getMember(body, name))
          if (difference === undefined) continue
          const arrived = difference.arrived === undefined ? {} : { arrived: createExcerpt(difference.arrived) }
          const params = {
            part: 'tools',
            name: difference.path,
            sent: createExcerpt(difference.sent),
            ...arrived,
          } as const
          return { code: 'gateway-changed', params }
        }
        return undefined
      })
    },
  }),
]
