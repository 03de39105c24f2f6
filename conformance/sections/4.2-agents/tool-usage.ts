import type { Check } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import { findUsageSumDeviation, USAGE_SUM_CONSEQUENCE } from '../2.3-completion/completion.ts'
import { findTypeDeviation, findFirstDeviation } from '../shared/fields.ts'
import { getMember, isCount } from '../shared/response-access.ts'
import {
  sendPlainChat,
  defineAgentCheck,
  getForcedCall,
  evaluateFeature,
  evaluateForcedCall,
  offerTools,
} from './agent-requests.ts'

/* These checks evaluate the `usage` of chats with tools, from which agents calculate their cost. */

const COUNTS = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const

function findCountDeviation({ json }: Exchange) {
  return findFirstDeviation(COUNTS.map((name) => findTypeDeviation(json, ['usage', name], 'count')))
}

export const toolUsageChecks: readonly Check[] = [
  defineAgentCheck({
    id: '4.2/tool-usage',
    requirement: '4.2/tool-usage',
    title: 'reports the usage of a response with tool calls',
    requests: 2,
    async run(context) {
      return evaluateForcedCall(await getForcedCall(context), {
        expected: { rule: 'usage' },
        consequence:
          'the usage of the Vercel AI SDK and of LangChain has no tokens, so that an agent cannot account for its cost',
        find: findCountDeviation,
      })
    },
  }),
  defineAgentCheck({
    id: '4.2/tool-usage-adds-up',
    requirement: '4.2/tool-usage',
    title: 'reports total_tokens of a response with tool calls as the sum of the two token counts',
    requests: 2,
    async run(context) {
      return evaluateForcedCall(await getForcedCall(context), {
        expected: { rule: 'usage-adds-up' },
        consequence: USAGE_SUM_CONSEQUENCE,
        find: (response) =>
          findCountDeviation(response) === undefined
            ? findUsageSumDeviation(getMember(response.json, 'usage'))
            : expect.markNoEvidence('usage'),
      })
    },
  }),
  defineAgentCheck({
    id: '4.2/tool-prompt-tokens',
    requirement: '4.2/tool-usage',
    title: 'the number of prompt tokens of tool definitions',
    requests: 2,
    async run({ shared }) {
      const tried = 'functions in tools'
      const plain = await sendPlainChat(shared)
      return evaluateFeature(await offerTools(shared), {
        tried,
        expected: { rule: 'usage' },
        find: ({ json }) => {
          const withTools = getMember(json, 'usage', 'prompt_tokens')
          const without = getMember(plain.json, 'usage', 'prompt_tokens')
          return expect.isServed(plain) && isCount(withTools) && isCount(without)
            ? expect.observeFact(
                { kind: 'tool-prompt-tokens', promptTokens: Number(withTools), without: Number(without) },
                tried,
              )
            : expect.markNoEvidence('usage')
        },
      })
    },
  }),
]
