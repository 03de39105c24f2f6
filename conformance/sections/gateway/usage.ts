import type { Deviation } from '../../findings/families.ts'
import type { Seen } from '../../upstream/both-ends.ts'
import { createChange, defineForwardingCheck, defineGatewayCheck, describeForm, observeServed } from './define-check.ts'
import { isStream, readUpstreamBody, readUpstreamUsage, readUsage } from './read-response.ts'
import { getMember, isObject } from '../shared/response-access.ts'
import { parseStream } from '../shared/stream.ts'

const COUNTS = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const

/** Makes the upstream count reasoning tokens as part of the completion. */
const REASONING = { reasoning: 'Short.', options: { reasoning: 'reasoning_content' } }

const TEXT = 'One two three four five six seven eight nine ten.'

const STREAM_OPTIONS = { include_usage: true }

/** If the upstream sent usage, the client must get it. Without it, a gateway may count itself, but not hide the request. */
function findChangedUsage(seen: Seen): Deviation | undefined {
  const last = seen.upstream.at(-1)
  const sent = last && selectCounts(readUpstreamUsage(last))
  const arrived = selectCounts(readUsage(seen.client))
  if (sent === undefined) {
    const options = last && getMember(readUpstreamBody(last), 'stream_options')
    const isLost = isStream(seen.client) && arrived === undefined && getMember(options, 'include_usage') !== true
    return isLost ? createChange('parameter', STREAM_OPTIONS, options, { name: 'stream_options' }) : undefined
  }
  const isSame = arrived !== undefined && COUNTS.every((name) => arrived[name] === sent[name])
  return isSame ? undefined : createChange('usage', sent, arrived, describeForm(seen))
}

export function selectCounts(usage: unknown): Readonly<Record<(typeof COUNTS)[number], unknown>> | undefined {
  if (!isObject(usage)) return undefined
  const [prompt, completion, total] = COUNTS.map((name) => getMember(usage, name))
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total }
}

const USAGE_FORMS = [
  ...['asked', 'last', 'each', 'always'].map((form) => ({ options: { 'stream-usage': form } })),
  REASONING,
]

export const usageChecks = [
  defineForwardingCheck({
    id: 'gateway/stream-usage',
    requirement: 'gateway/usage',
    title: 'forwards the usage of streams, wherever the upstream sends it',
    trials: USAGE_FORMS.map((form) => ({
      respond: { text: TEXT, ...form },
      fields: () => ({ stream: true, stream_options: STREAM_OPTIONS }),
    })),
    find: findChangedUsage,
  }),
  defineForwardingCheck({
    id: 'gateway/completion-usage',
    requirement: 'gateway/usage',
    title: 'forwards the usage of complete responses',
    trials: [{ respond: { text: TEXT } }, { respond: { text: TEXT, ...REASONING } }],
    find: findChangedUsage,
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
        { respond, fields: () => ({ stream: true, stream_options: STREAM_OPTIONS }) },
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
