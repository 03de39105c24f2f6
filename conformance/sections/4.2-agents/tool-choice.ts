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
import { createMalformedCall } from './malformed-call.ts'
import { readMessageCalls } from './tool-calls.ts'

/* These checks find out whether the target accepts tools, and whether `tool_choice` has an effect. */

const NO_FORCED_CALL =
  'structured output by function calling in LangChain (withStructuredOutput) is undefined without an error'

/** Returns whether a response contains tool calls, which shows that the target supports tools. */
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
      consequence: '',
      ignored: () => undefined,
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

const requiredCheck = defineAgentCheck({
  id: '4.2/tool-choice-required',
  requirement: '4.2/tools',
  title: 'returns a tool call for tool_choice "required"',
  requests: 2,
  async run({ shared }) {
    const response = await requireCall(shared)
    const others = hasCalls(response) ? undefined : await requireNamedCall(shared)
    const isIgnored = !hasCalls(response) && (others === undefined || !hasCalls(others))
    return evaluateFeature(response, {
      tried: 'tool_choice "required"',
      expected: { rule: 'tool-call' },
      consequence: `an agent that must call a tool gets text; ${NO_FORCED_CALL}`,
      ignored: () => (isIgnored ? 'no-tool-call' : undefined),
      find: () => (hasCalls(response) ? undefined : createMalformedCall('no-call')),
    })
  },
})

const namedCheck = defineAgentCheck({
  id: '4.2/tool-choice-named',
  requirement: '4.2/tools',
  title: 'calls the function that tool_choice names',
  requests: 2,
  async run({ shared }) {
    const response = await requireNamedCall(shared)
    const others = hasCalls(response) ? undefined : await requireCall(shared)
    const isIgnored = !hasCalls(response) && (others === undefined || !hasCalls(others))
    return evaluateFeature(response, {
      tried: 'tool_choice with the name of a function',
      expected: { rule: 'named-tool-call' },
      consequence: `a client that names a function gets another result; ${NO_FORCED_CALL}`,
      ignored: () => (isIgnored ? 'no-tool-call' : undefined),
      find: () => {
        const calls = readMessageCalls(response)
        if (calls.length === 0) return createMalformedCall('no-call')
        const other = calls.find(({ name }) => name !== NAMED_FUNCTION)
        return other === undefined ? undefined : createMalformedCall('other-function', other.name)
      },
    })
  },
})

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

/**
 * Evaluates a finish_reason. The vendor that introduced tool calls sends "stop" for a forced call, so a value other
 * than "tool_calls" is only an observation.
 */
export function evaluateFinishReason(reason: unknown): Outcome | Deviation | undefined {
  if (reason === 'tool_calls') return undefined
  return typeof reason === 'string' && reason !== ''
    ? expect.observeFact({ kind: 'finish-reasons', reasons: [reason] }, 'a forced tool call')
    : createMalformedCall('no-finish-reason', reason)
}

export const toolChoiceChecks: readonly Check[] = [acceptedCheck, requiredCheck, namedCheck]
export const finishReasonChecks: readonly Check[] = [finishReasonCheck]
