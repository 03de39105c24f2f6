import type { Check } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { ExpectationRule } from '../../findings/expectations.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { findFirstDeviation } from '../shared/fields.ts'
import { getMediaType, isNonEmptyString } from '../shared/response-access.ts'
import { parseStream } from '../shared/stream.ts'
import { defineAgentCheck, evaluateFeature, OFFERED_FUNCTIONS, requireCall, requireTwoCalls } from './agent-requests.ts'
import { findArgumentsDeviation } from './tool-call-shape.ts'
import { evaluateFinishReason } from './tool-choice.ts'
import {
  createMalformedCall,
  joinArguments,
  readMessageCalls,
  readStreamedCalls,
  type StreamedCall,
} from './tool-calls.ts'

// The deltas of a streamed tool call must combine into the call that the request returns without streaming.

const TRIED = 'a forced tool call in a stream'
const TRIED_TWO_CALLS = 'a question that needs two tool calls, in a stream'

/** Returns an outcome if the target served a response that is not a stream, which other checks report. */
function requireStream(response: Exchange): Outcome | undefined {
  if (!expect.isServed(response) || parseStream(response).chunks.length > 0) return undefined
  const actualMediaType = getMediaType(response)
  return expect.markNotTestable({ code: 'plain-stream-is-none', params: { actualMediaType } })
}

const argumentsCheck = defineAgentCheck({
  id: '4.2/tool-stream-arguments',
  requirement: '4.2/tool-call-streams',
  title: 'streams arguments that join to a JSON object',
  requests: 2,
  async run({ shared }) {
    const response = await requireCall(shared, { stream: true })
    const isStreamed = readStreamedCalls(response).length > 0
    const whole = isStreamed ? [] : readMessageCalls(await requireCall(shared))
    return (
      requireStream(response) ??
      evaluateFeature(response, {
        tried: TRIED,
        expected: { rule: 'tool-stream-arguments' },
        consequence:
          'the openai SDK for Python throws; the openai SDK for Node.js (runTools), the Vercel AI SDK and LangChain do not call the function with its arguments',
        ignored: () => (isStreamed || whole.length > 0 ? undefined : 'no-tool-call'),
        find: () => {
          if (!isStreamed) return warnMissing(response)
          return findFirstDeviation(readStreamedCalls(response).map(findJoinedDeviation))
        },
      })
    )
  },
})

/** Warns about a stream without a tool call, although the same non-streaming request gets one. */
function warnMissing(exchange: Exchange): Outcome {
  const consequence =
    'agents that stream get no call: runTools of the openai SDK for Node.js ends with the text of the first response'
  const outcome = expect.warn({ rule: 'tool-call' }, createMalformedCall('no-streamed-call'), consequence)
  return { ...outcome, exchange }
}

function findJoinedDeviation(call: StreamedCall): Deviation | undefined {
  const text = joinArguments(call)
  if (text !== undefined) return findArgumentsDeviation(text)
  const other = call.find((delta) => typeof (delta.arguments ?? '') !== 'string')
  return createMalformedCall('arguments-not-text', other?.arguments)
}

/** Finds a malformed delta of a streamed call. After the first delta, clients ignore empty strings and null. */
function findStartDeviation([first, ...later]: StreamedCall): Deviation | undefined {
  if (!isNonEmptyString(first.id)) return createMalformedCall('no-id', first.id)
  if (first.type !== 'function') return createMalformedCall('wrong-type', first.type)
  if (typeof first.name !== 'string' || !OFFERED_FUNCTIONS.has(first.name)) {
    return createMalformedCall('unknown-name', first.name)
  }
  const named = later.find(({ name }) => isNonEmptyString(name))
  if (named !== undefined) return createMalformedCall('name-repeated', named.name)
  const identified = later.find(({ id }) => isNonEmptyString(id))
  return identified === undefined ? undefined : createMalformedCall('id-repeated', identified.id)
}

interface StreamConvention {
  readonly id: string
  readonly title: string
  readonly rule: ExpectationRule
  readonly consequence: string
  find(response: Exchange): Deviation | Outcome | undefined
}

const CONVENTIONS: readonly StreamConvention[] = [
  {
    id: '4.2/tool-stream-index',
    title: 'gives each delta of a tool call an index',
    rule: 'tool-stream-index',
    consequence:
      'the stream helper of the openai SDK for Python throws a TypeError, and the stream helper of the openai SDK for Node.js loses the call',
    find: (response) => {
      const other = readStreamedCalls(response)
        .flat()
        .find(({ index }) => !Number.isSafeInteger(index))
      return other && createMalformedCall('no-index', other.index)
    },
  },
  {
    id: '4.2/tool-stream-start',
    title: 'sends id, type and name in the first delta of a tool call, and does not repeat id or name',
    rule: 'tool-stream-start',
    consequence:
      'the openai SDK for Python joins repeated names ("get_weatherget_weather"), the openai SDK for Node.js throws if the type is missing, and LangChain lists a call without an id as invalid',
    find: (response) => findFirstDeviation(readStreamedCalls(response).map(findStartDeviation)),
  },
  {
    id: '4.2/tool-stream-finish-reason',
    title: 'ends a stream with tool calls with the finish_reason "tool_calls"',
    rule: 'tool-call-finish-reason',
    consequence:
      'the stream helper of the openai SDK for Node.js throws "missing finish_reason", and the Vercel AI SDK ends without calling the function',
    find: (response) => evaluateFinishReason(parseStream(response).withChoice.at(-1)?.finishReason),
  },
  {
    id: '4.2/tool-stream-several',
    title: 'gives each of several calls in a stream a separate index',
    rule: 'tool-stream-several',
    consequence:
      'the openai SDKs for Node.js and Python join the arguments of both calls to one invalid text, and the Vercel AI SDK calls only one',
    find: (response) => {
      const indexes = readStreamedCalls(response).map(([{ index }]) => index)
      if (indexes.length === 1) {
        return expect.observeFact({ kind: 'tool-calls', actualStatus: response.status, calls: 1 }, TRIED_TWO_CALLS)
      }
      return new Set(indexes).size === indexes.length ? undefined : createMalformedCall('shared-index', indexes)
    },
  },
]

const conventionChecks = CONVENTIONS.map(({ id, title, rule, consequence, find }) =>
  defineAgentCheck({
    id,
    requirement: '4.2/tool-call-streams',
    title,
    requests: 1,
    async run({ shared }) {
      const isOfTwoCalls = rule === 'tool-stream-several'
      const response = await (isOfTwoCalls ? requireTwoCalls : requireCall)(shared, { stream: true })
      const tried = isOfTwoCalls ? TRIED_TWO_CALLS : TRIED
      const ignored = () => (readStreamedCalls(response).length === 0 ? 'no-tool-call' : undefined)
      return (
        requireStream(response) ?? evaluateFeature(response, { tried, expected: { rule }, consequence, ignored, find })
      )
    },
  }),
)

export const toolStreamChecks: readonly Check[] = [argumentsCheck, ...conventionChecks]
