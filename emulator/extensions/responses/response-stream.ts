import { toByteString } from '../../../common/byte-string.ts'
import { countTotalTokens, getCompletionText, getMessagePart, type Completion } from '../../operations/completion.ts'
import type { TokenProbability } from '../../operations/log-probabilities.ts'
import type { GeneratedStream } from '../../operations/operation.ts'
import { createEventFormatter, createHeartbeat } from '../../operations/chat-format/event-format.ts'
import type { BehaviourOptions } from '../../options/unspecified-behaviour/behaviour-options.ts'
import { createOutputText, type PlannedOutputItem } from './output-items.ts'
import { createFinalResponse, createPendingResponse, getFinalStatus } from './response-object.ts'
import type { EchoedFields } from './response-object.ts'
import type { CallItem, MessageItem, ReasoningItem } from './response-items.ts'

/** An event of the stream, without its sequence number. */
interface StreamEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** Consecutive events of the stream with the same number of tokens. */
interface EventGroup {
  readonly events: number
  readonly tokensPerEvent: number
  event(offset: number): StreamEvent
}

interface PositionedEventGroup extends EventGroup {
  /** Index of the group's first event in the stream. */
  readonly start: number
  /** Number of tokens in earlier groups of events. */
  readonly tokensBefore: number
}

/**
 * Creates the stream events of a response. Each token of the text, or of a call's arguments or input, is one delta. The event
 * `response.output_item.added` of a call counts as one token, for the tool's name. Each event is created when it is
 * due.
 */
export function createResponseStream(
  completion: Completion,
  planned: readonly PlannedOutputItem[],
  echoed: EchoedFields,
  behaviour: BehaviourOptions,
): GeneratedStream {
  const groups = positionEventGroups(createEventGroups(completion, planned, echoed))
  const last = groups.at(-1)
  const frameCount = last === undefined ? 0 : last.start + last.events
  const firstContent = groups.find(({ tokensPerEvent }) => tokensPerEvent > 0)
  const lastContent = groups.findLast(({ tokensPerEvent }) => tokensPerEvent > 0)
  const format = createEventFormatter({ ...behaviour, 'chunk-shape': 'sdk' })
  const heartbeat = createHeartbeat(behaviour)
  const countTokensBefore = (index: number) => {
    const { start, tokensBefore, tokensPerEvent } = findEventGroup(groups, index)
    return tokensBefore + (index - start) * tokensPerEvent
  }
  return {
    frameCount,
    contentStart: (firstContent ?? last)?.start ?? 0,
    contentEnd: lastContent === undefined ? (last?.start ?? 0) : lastContent.start + lastContent.events,
    ...(heartbeat === undefined ? {} : { heartbeat }),
    frame(index) {
      const group = findEventGroup(groups, index)
      const event = { ...group.event(index - group.start), sequence_number: index }
      return format(toByteString(JSON.stringify(event)), index, event.type)
    },
    getTokenIndex(index) {
      const tokens = countTokensBefore(index) + findEventGroup(groups, index).tokensPerEvent
      return Math.max(0, tokens - 1)
    },
    usedTokensAfter: (framesSent) =>
      framesSent >= frameCount ? countTotalTokens(completion) : completion.promptTokens + countTokensBefore(framesSent),
    reasoningTokensAfter: (framesSent) => Math.min(countTokensBefore(framesSent), completion.reasoning?.tokens ?? 0),
  }
}

function createEventGroups(
  completion: Completion,
  planned: readonly PlannedOutputItem[],
  echoed: EchoedFields,
): readonly EventGroup[] {
  let firstToken = 0
  const groups: EventGroup[] = ['response.created', 'response.in_progress'].map((type) =>
    single(() => ({ type, response: createPendingResponse(completion, echoed) })),
  )
  for (const [index, item] of planned.entries()) {
    groups.push(...createItemEventGroups(completion, item, index, firstToken))
    const isCall = item.item.type !== 'message' && item.item.type !== 'reasoning'
    firstToken += item.deltaTokens + (isCall ? 1 : 0)
  }
  const output = planned.map(({ item }) => item)
  const type = `response.${getFinalStatus(completion)}`
  groups.push(single(() => ({ type, response: createFinalResponse(completion, echoed, output) })))
  return groups
}

function createItemEventGroups(
  completion: Completion,
  { item, deltaTokens }: PlannedOutputItem,
  output_index: number,
  firstToken: number,
): readonly EventGroup[] {
  const place: ItemPlace = { output_index, item_id: item.id, deltaTokens, firstToken }
  const done = single(() => ({ type: 'response.output_item.done', output_index, item }))
  switch (item.type) {
    case 'message':
      return [...createMessageEventGroups(completion, item, place), done]
    case 'reasoning':
      return [...createReasoningEventGroups(completion, item, place), done]
    default:
      return [...createCallEventGroups(completion, item, place), done]
  }
}

/** Position of an item in the output, and of its tokens in the completion. */
interface ItemPlace {
  readonly output_index: number
  readonly item_id: string
  readonly deltaTokens: number
  readonly firstToken: number
}

function createAddedEvent(output_index: number, item: object): StreamEvent {
  return { type: 'response.output_item.added', output_index, item }
}

function createMessageEventGroups(
  completion: Completion,
  item: MessageItem,
  { output_index, item_id, deltaTokens, firstToken }: ItemPlace,
): readonly EventGroup[] {
  const { text = '', logprobs = [] } = item.content[0] ?? {}
  const streamed = logprobs.map(omitBytes)
  const pending = { ...item, status: 'in_progress', content: [] }
  const content = { item_id, output_index, content_index: 0 }
  return [
    single(() => createAddedEvent(output_index, pending)),
    single(() => ({ type: 'response.content_part.added', ...content, part: createOutputText('') })),
    {
      events: deltaTokens,
      tokensPerEvent: 1,
      event(offset) {
        const delta = getCompletionText(completion, firstToken + offset, firstToken + offset + 1)
        return { type: 'response.output_text.delta', ...content, delta, logprobs: streamed.slice(offset, offset + 1) }
      },
    },
    single(() => ({ type: 'response.output_text.done', ...content, text, logprobs: streamed })),
    single(() => ({ type: 'response.content_part.done', ...content, part: createOutputText(text, logprobs) })),
  ]
}

function createReasoningEventGroups(
  completion: Completion,
  item: ReasoningItem,
  { output_index, item_id, deltaTokens, firstToken }: ItemPlace,
): readonly EventGroup[] {
  const [part] = item.summary
  const pending = { ...item, status: 'in_progress', summary: [] }
  // Hidden reasoning is a pause before the item.
  if (part === undefined) {
    return [{ events: 1, tokensPerEvent: deltaTokens, event: () => createAddedEvent(output_index, pending) }]
  }
  const place = { item_id, output_index, summary_index: 0 }
  const prefix = 'response.reasoning_summary'
  return [
    single(() => createAddedEvent(output_index, pending)),
    single(() => ({ type: `${prefix}_part.added`, ...place, part: { ...part, text: '' } })),
    {
      events: deltaTokens,
      tokensPerEvent: 1,
      event(offset) {
        const { text: delta } = getMessagePart(completion, firstToken + offset)
        return { type: `${prefix}_text.delta`, ...place, delta }
      },
    },
    single(() => ({ type: `${prefix}_text.done`, ...place, text: part.text })),
    single(() => ({ type: `${prefix}_part.done`, ...place, part })),
  ]
}

function createCallEventGroups(
  completion: Completion,
  call: CallItem,
  { output_index, item_id, deltaTokens, firstToken }: ItemPlace,
): readonly EventGroup[] {
  if (call.type !== 'function_call' && call.type !== 'custom_tool_call') {
    // The API has no delta events for these arguments.
    const pending = { ...call, status: 'in_progress', ...(call.type === 'tool_search_call' ? { arguments: {} } : {}) }
    return [{ events: 1, tokensPerEvent: 1, event: () => createAddedEvent(output_index, pending) }]
  }
  const isCustom = call.type === 'custom_tool_call'
  const pending = { ...call, status: 'in_progress', ...(isCustom ? { input: '' } : { arguments: '' }) }
  const name = isCustom ? 'response.custom_tool_call_input' : 'response.function_call_arguments'
  const whole = isCustom ? { input: call.input } : { name: call.name, arguments: call.arguments }
  const isCut = call.status === 'incomplete'
  return [
    { events: 1, tokensPerEvent: 1, event: () => createAddedEvent(output_index, pending) },
    {
      events: deltaTokens,
      tokensPerEvent: 1,
      event(offset) {
        const delta = completion.parts?.[firstToken + 1 + offset]?.text ?? ''
        return { type: `${name}.delta`, item_id, output_index, delta }
      },
    },
    ...(isCut ? [] : [single(() => ({ type: `${name}.done`, item_id, output_index, ...whole }))]),
  ]
}

/** Creates the form that log probabilities have in events about text: without bytes. */
function omitBytes({ token, logprob, top_logprobs }: TokenProbability) {
  return { token, logprob, top_logprobs: top_logprobs.map((one) => ({ token: one.token, logprob: one.logprob })) }
}

function single(event: () => StreamEvent): EventGroup {
  return { events: 1, tokensPerEvent: 0, event }
}

function positionEventGroups(groups: readonly EventGroup[]): readonly PositionedEventGroup[] {
  let start = 0
  let tokensBefore = 0
  return groups
    .filter(({ events }) => events > 0)
    .map((group) => {
      const placed = { ...group, start, tokensBefore }
      start += group.events
      tokensBefore += group.events * group.tokensPerEvent
      return placed
    })
}

/** Finds the group that contains an event by binary search, because a response may have many calls. */
function findEventGroup(groups: readonly PositionedEventGroup[], index: number): PositionedEventGroup {
  let low = 0
  let high = groups.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((groups[middle]?.start ?? 0) <= index) low = middle
    else high = middle - 1
  }
  const found = groups[low]
  if (found === undefined) throw new RangeError(`The stream has no event ${index}.`)
  return found
}
