import type { ProxyHooks } from '../proxy-hooks.ts'
import { isStreamRequest, matchAll, matchFields, matchNot, matchOperation, type RequestMatcher } from './match.ts'
import { changeSuccesses } from './responses.ts'
import { formatServerSentEvent } from './stream.ts'

/* These functions change chats that contain tools or a response format. They leave all other requests unchanged. */

export const offersTools: RequestMatcher = matchOperation(
  'chat',
  matchFields(({ tools }) => tools !== undefined),
)

/** Matches chats with this `tool_choice`. `named` stands for a choice that names a function. */
export function matchToolChoice(choice: 'required' | 'named'): RequestMatcher {
  return matchOperation(
    'chat',
    matchFields(({ tool_choice: given }) => (choice === 'named' ? typeof given === 'object' : given === choice)),
  )
}

/** Matches chats that contain a message with the role `tool`. */
export const containsToolResult: RequestMatcher = matchOperation(
  'chat',
  matchFields(({ messages = [] }) => JSON.stringify(messages).includes('"role":"tool"')),
)

export function matchResponseFormat(type: string): RequestMatcher {
  return matchOperation(
    'chat',
    matchFields(({ response_format: format }) => JSON.stringify(format)?.startsWith(`{"type":"${type}"`) === true),
  )
}

type Members = Record<string, unknown>

/** Returns the properties of an object. Returns an empty object for any other value. */
export function getProperties(value: unknown): Members {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Changes the choice of matching non-streaming completions. Removes properties that are set to undefined. */
export function changeChoice(
  match: RequestMatcher,
  change: (choice: Members, completion: Members) => Members,
): ProxyHooks {
  return changeSuccesses(matchAll(match, matchNot(isStreamRequest)), (response) => {
    const completion = getProperties(JSON.parse(response.body.toString('utf8')))
    const choices = itemsOf(completion['choices']).map((choice) => change(getProperties(choice), completion))
    return { ...response, body: Buffer.from(JSON.stringify({ ...completion, choices })) }
  })
}

export function changeMessage(match: RequestMatcher, change: (message: Members) => Members): ProxyHooks {
  return changeChoice(match, (choice) => ({ ...choice, message: change(getProperties(choice['message'])) }))
}

/** Changes the tool calls in non-streaming completions. `called` contains the properties of the call's function. */
export function changeCalls(change: (call: Members, called: Members) => Members): ProxyHooks {
  return changeMessage(offersTools, (message) => {
    const calls = itemsOf(message['tool_calls'])
    if (calls.length === 0) return message
    return {
      ...message,
      tool_calls: calls.map((call) => change(getProperties(call), getProperties(getProperties(call)['function']))),
    }
  })
}

export function changeCalledFunctions(change: (called: Members) => Members): ProxyHooks {
  return changeCalls((call, called) => ({ ...call, function: { ...called, ...change(called) } }))
}

export function changeUsage(match: RequestMatcher, change: (usage: Members) => unknown): ProxyHooks {
  return changeSuccesses(matchAll(match, matchNot(isStreamRequest)), (response) => {
    const completion = getProperties(JSON.parse(response.body.toString('utf8')))
    const usage = change(getProperties(completion['usage']))
    return { ...response, body: Buffer.from(JSON.stringify({ ...completion, usage })) }
  })
}

/** Changes the choices of chunks in streams with tools. `position` is the number of earlier chunks with tool calls. */
export function changeToolChunks(change: (choice: Members, position: number) => Members | undefined): ProxyHooks {
  return changeSuccesses(matchAll(offersTools, isStreamRequest), (response) => {
    let position = 0
    const frames = response.body.toString('utf8').split('\n\n').filter(Boolean)
    const changed = frames.flatMap((frame) => {
      const data = frame.slice('data: '.length)
      if (data === '[DONE]') return [formatServerSentEvent(data)]
      const chunk = getProperties(JSON.parse(data))
      const choices = itemsOf(chunk['choices']).map((choice) => change(getProperties(choice), position))
      if (choices.includes(undefined)) return []
      if (data.includes('"tool_calls":[')) position += 1
      return [formatServerSentEvent(JSON.stringify({ ...chunk, choices }))]
    })
    return { ...response, body: Buffer.from(changed.join('')) }
  })
}

/** Changes the deltas of tool calls in streams. `isFirst` is true for the first delta of each call. */
export function changeCallDeltas(change: (delta: Members, isFirst: boolean) => Members): ProxyHooks {
  return changeToolChunks((choice) => {
    const delta = getProperties(choice['delta'])
    const calls = itemsOf(delta['tool_calls']).map(getProperties)
    return calls.length === 0
      ? choice
      : { ...choice, delta: { ...delta, tool_calls: calls.map((call) => change(call, 'id' in call)) } }
  })
}
