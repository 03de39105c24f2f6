import type { Check } from '../../engine/check.ts'
import { hasBrokenDown } from '../../http/breakdown.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { getMember } from '../shared/response-access.ts'
import {
  defineAgentCheck,
  getForcedCall,
  evaluateFeature,
  evaluateForcedCall,
  NAMED_FUNCTION,
  offerTools,
  requireCall,
  requireNamedCall,
} from './agent-requests.ts'
import { createMalformedCall, readMessageCalls } from './tool-calls.ts'

/* These checks find out whether the target accepts tools, and whether `tool_choice` has an effect. */

const NO_FORCED_CALL =
  'structured output by function calling in LangChain (withStructuredOutput) is undefined without an error'

function hasCalls(response: Exchange): boolean {
  return expect.isServed(response) && readMessageCalls(response).length > 0
}

const acceptedCheck = defineAgentCheck({
  id: '4.2/tools-accepted',
  requirement: '4.2/tools',
  title: 'the handling of functions in tools',
  requests: 1,
  async run({ shared }) {
    const response = await offerTools(shared)
    const tried = 'functions in tools'
    if (response.error === undefined && hasBrokenDown(response)) {
      const consequence = 'the openai SDKs repeat the request twice and then throw; an agent never gets its first step'
      const outcome = expect.warn({ status: ['2xx', '4xx'] }, expect.describeUnexpected(response), consequence)
      return { ...outcome, exchange: response }
    }
    return evaluateFeature(response, {
      tried,
      expected: { status: ['2xx', '4xx'] },
      find: ({ json, status }) => {
        const finishReason = getMember(json, 'choices', 0, 'finish_reason')
        return expect.observeFact(
          {
            kind: 'tool-calls',
            actualStatus: status,
            calls: readMessageCalls(response).length,
            ...(typeof finishReason === 'string' ? { finishReason } : {}),
          },
          tried,
        )
      },
    })
  },
})

const CHOICES = [
  {
    id: '4.2/tool-choice-required',
    title: 'returns a tool call for tool_choice "required"',
    tried: 'tool_choice "required"',
    rule: 'tool-call',
    consequence: 'an agent that must call a tool gets text',
    send: requireCall,
    sendOther: requireNamedCall,
    named: undefined,
  },
  {
    id: '4.2/tool-choice-named',
    title: 'calls the function that tool_choice names',
    tried: 'tool_choice with the name of a function',
    rule: 'named-tool-call',
    consequence: 'a client that names a function gets another result',
    send: requireNamedCall,
    sendOther: requireCall,
    named: NAMED_FUNCTION,
  },
] as const

const choiceChecks = CHOICES.map(({ id, title, tried, rule, consequence, send, sendOther, named }) =>
  defineAgentCheck({
    id,
    requirement: '4.2/tools',
    title,
    requests: 2,
    async run({ shared }) {
      const response = await send(shared)
      const isIgnored = !hasCalls(response) && !hasCalls(await sendOther(shared))
      return evaluateFeature(response, {
        tried,
        expected: { rule },
        consequence: `${consequence}; ${NO_FORCED_CALL}`,
        ignored: () => (isIgnored ? 'no-tool-call' : undefined),
        find: () => {
          const calls = readMessageCalls(response)
          if (calls.length === 0) return createMalformedCall('no-call')
          const other = calls.find(({ name }) => named !== undefined && name !== named)
          return other && createMalformedCall('other-function', other.name)
        },
      })
    },
  }),
)

const finishReasonCheck = defineAgentCheck({
  id: '4.2/tool-call-finish-reason',
  requirement: '4.2/tool-calls',
  title: 'gives a message with tool calls the finish_reason "tool_calls"',
  requests: 2,
  async run(context) {
    return evaluateForcedCall(await getForcedCall(context), {
      expected: { rule: 'tool-call-finish-reason' },
      consequence: 'the Vercel AI SDK ends without calling the function',
      find: ({ json }) => evaluateFinishReason(getMember(json, 'choices', 0, 'finish_reason')),
    })
  },
})

/** A forced call may end with "stop", as with the vendor that introduced tool calls, so other values are observed. */
export function evaluateFinishReason(reason: unknown): Outcome | Deviation | undefined {
  if (reason === 'tool_calls') return undefined
  return typeof reason === 'string' && reason !== ''
    ? expect.observeFact({ kind: 'finish-reasons', reasons: [reason] }, 'a forced tool call')
    : createMalformedCall('no-finish-reason', reason)
}

export const toolChoiceChecks: readonly Check[] = [acceptedCheck, ...choiceChecks]
export const finishReasonChecks: readonly Check[] = [finishReasonCheck]
