import type { Exchange } from '../../http/exchange.ts'
import { parseJson } from '../../http/decode-body.ts'
import { joinArguments, readMessageCalls, readStreamedCalls } from '../4.2-agents/tool-calls.ts'
import { getItems, getMember, isNonEmptyString, isObject } from '../shared/response-access.ts'
import { parseStream } from '../shared/stream.ts'
import { isStreamingRequest } from '../../http/request-body.ts'
import type { UpstreamRequest } from '../../upstream/upstream-control.ts'

/** Header fields of a client that reads compressed responses, as most do. */
export const ACCEPTS_COMPRESSION = { 'accept-encoding': 'gzip, br' }

export function isStream({ request }: Exchange): boolean {
  return isStreamingRequest(request)
}

export function readText(response: Exchange): string | undefined {
  if (!isStream(response)) return asText(getMember(response.json, 'choices', 0, 'message', 'content'))
  const parts = parseStream(response).chunks.map(({ content }) => asText(content) ?? '')
  return parts.join('')
}

export function readCalls(response: Exchange): readonly { readonly name: unknown; readonly arguments: unknown }[] {
  if (!isStream(response)) {
    return readMessageCalls(response).map((call) => ({ name: call.name, arguments: parseArguments(call.arguments) }))
  }
  return readStreamedCalls(response).map((call) => ({
    name: call[0].name,
    arguments: parseArguments(joinArguments(call)),
  }))
}

export function readCallIds(response: Exchange): readonly unknown[] {
  if (!isStream(response)) return readMessageCalls(response).map(({ id }) => id)
  return readStreamedCalls(response).map((call) => call.find(({ id }) => isNonEmptyString(id))?.id)
}

/** Parses the arguments of a call, because a gateway may write the same JSON with other whitespace. */
function parseArguments(text: unknown): unknown {
  return typeof text === 'string' ? (parseJson(text) ?? text) : { notText: text }
}

export function readFinishReason(response: Exchange): unknown {
  if (!isStream(response)) return getMember(response.json, 'choices', 0, 'finish_reason')
  return parseStream(response).withChoice.findLast(({ finishReason }) => typeof finishReason === 'string')?.finishReason
}

export function readUsage(response: Exchange): unknown {
  if (!isStream(response)) return getMember(response.json, 'usage')
  return parseStream(response).chunks.findLast(({ usage }) => isObject(usage))?.usage
}

/** Returns the usage that the upstream sent. Returns undefined if it sent none. */
export function readUpstreamUsage({ bodies }: UpstreamRequest): unknown {
  const text = bodies?.response ?? ''
  const whole = getMember(parseJson(text), 'usage')
  if (whole !== undefined) return whole
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => getMember(parseJson(line.replace(/^data: ?/, '')), 'usage'))
    .findLast(isObject)
}

export function readUpstreamBody({ bodies }: UpstreamRequest): unknown {
  return parseJson(bodies?.request ?? '')
}

/** Returns the text of a message: its string, or the texts of its parts. */
export function readMessageText(message: unknown): unknown {
  const content = getMember(message, 'content')
  if (!Array.isArray(content)) return content ?? ''
  return getItems(content)
    .map((part) => asText(getMember(part, 'text')) ?? '')
    .join('')
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
