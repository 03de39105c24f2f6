import type { Deviation } from '../../findings/families.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import type { Seen } from '../../upstream/both-ends.ts'
import { defineGatewayCheck, getForm, judge, observeServed } from './define-check.ts'
import { isStream, readUpstreamUsage, readUsage } from './read-response.ts'
import { getMember, isObject } from '../shared/response-access.ts'
import { parseStream } from '../shared/stream.ts'

const COUNTS = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const

/** Forms in which the upstream sends usage in a stream. */
const USAGE_FORMS = ['asked', 'last', 'each', 'always'] as const

/** Makes the upstream count reasoning tokens as part of the completion. */
const REASONING = { reasoning: 'Short.', options: { reasoning: 'reasoning_content' } }

const TEXT = 'One two three four five six seven eight nine ten.'

/**
 * Compares the numbers of usage. If the client asked for usage and the upstream sent it, the client must get it. Without
 * usage of the upstream, a gateway may count itself.
 */
function findChangedUsage({ client, upstream, trial }: Seen): Deviation | undefined {
  const last = upstream.at(-1)
  const sent = last === undefined ? undefined : selectCounts(readUpstreamUsage(last))
  if (sent === undefined) return undefined
  const arrived = selectCounts(readUsage(client))
  if (arrived !== undefined && COUNTS.every((name) => arrived[name] === sent[name])) return undefined
  return {
    code: 'gateway-changed',
    params: {
      part: 'usage',
      sent: createExcerpt(sent),
      ...(arrived === undefined ? {} : { arrived: createExcerpt(arrived) }),
      isStream: isStream(client),
      ...getForm(trial),
    },
  }
}

/** Returns the three numbers of a usage. */
export function selectCounts(usage: unknown): Readonly<Record<(typeof COUNTS)[number], unknown>> | undefined {
  if (!isObject(usage)) return undefined
  const [prompt, completion, total] = COUNTS.map((name) => getMember(usage, name))
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total }
}

export const usageChecks = [
  defineGatewayCheck({
    id: 'gateway/stream-usage',
    requirement: 'gateway/usage',
    title: 'forwards the usage of streams, wherever the upstream sends it',
    requests: USAGE_FORMS.length + 1,
    async run(ends) {
      const forms = [...USAGE_FORMS.map((form) => ({ options: { 'stream-usage': form } })), REASONING]
      const fields = () => ({ stream: true, stream_options: { include_usage: true } })
      const all = await ends.sendAll(forms.map((form) => ({ respond: { text: TEXT, ...form }, fields })))
      return judge(ends, all, { rule: 'as-upstream-sent' }, findChangedUsage)
    },
  }),
  defineGatewayCheck({
    id: 'gateway/completion-usage',
    requirement: 'gateway/usage',
    title: 'forwards the usage of complete responses',
    requests: 2,
    async run(ends) {
      const all = await ends.sendAll([{ respond: { text: TEXT } }, { respond: { text: TEXT, ...REASONING } }])
      return judge(ends, all, { rule: 'as-upstream-sent' }, findChangedUsage)
    },
  }),
  defineGatewayCheck({
    id: 'gateway/usage-form',
    requirement: 'gateway/usage-form',
    title: 'where streams report usage, and its details',
    requests: 3,
    async run(ends) {
      const respond = { text: TEXT, ...REASONING }
      const [plain, asked, completion] = await ends.sendAll([
        { respond, fields: () => ({ stream: true }) },
        { respond, fields: () => ({ stream: true, stream_options: { include_usage: true } }) },
        { respond },
      ])
      return observeServed([plain, asked, completion], () => {
        const details = getMember(readUsage(completion.client), 'completion_tokens_details', 'reasoning_tokens')
        return {
          'not requested': describePlace(plain),
          requested: describePlace(asked),
          'reasoning tokens': typeof details === 'number' ? 'forwarded' : 'dropped',
        }
      })
    },
  }),
]

function describePlace({ client }: Seen): string {
  const { chunks } = parseStream(client)
  const withUsage = chunks.filter(({ usage }) => isObject(usage))
  if (withUsage.length === 0) return 'none'
  if (withUsage.length > 1) return 'in several chunks'
  const last = withUsage[0]
  return Array.isArray(last?.choices) && last.choices.length === 0
    ? 'in a chunk without choices'
    : 'in a chunk with a choice'
}
