import { PARAMETER_DEFAULTS } from '../../../contract/facts.ts'
import type { Check, CheckContext } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import { buildChatJson, encodeLatin1, type Observation, defineObservationCheck } from '../shared/observation-check.ts'
import { SMALL_CHAT_TOKENS } from '../shared/operation.ts'
import { getItems, getMediaType } from '../shared/response-access.ts'
import { parseStream } from '../shared/stream.ts'

type ChatObservation = Omit<Observation, 'operation' | 'id'> & { readonly name: string }

/** A PNG image of one pixel, which costs few tokens. */
const PIXEL_URL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Maximum prompt and completion tokens of a chat if the target replaces an invalid `max_tokens` with its default. */
const UNBOUND_CHAT_TOKENS = PARAMETER_DEFAULTS.max_tokens + SMALL_CHAT_TOKENS

function withMembers(name: string, tried: string, members: string, requirement: string): ChatObservation {
  return {
    name,
    requirement,
    tried,
    request: (context) => context.chat({}, { rawBody: buildChatJson(context, members) }),
  }
}

function withContent(name: string, tried: string, content: unknown): ChatObservation {
  return {
    name,
    requirement: '4.2/content-structure',
    tried,
    request: ({ chat }) => chat({ messages: [{ role: 'user', content }] }),
  }
}

/** Encodes the JSON body of a small chat as Latin-1. It contains the byte 0xFF, which is never valid in UTF-8. */
function notUtf8(context: CheckContext): Uint8Array {
  return encodeLatin1(buildChatJson(context).replace('hello', 'hell\u00ff'))
}

const TEXT_PART = { type: 'text', text: 'What is this?' }

const OBSERVATIONS: readonly ChatObservation[] = [
  withMembers('quality-parameter', 'a parameter "quality": "low"', '"quality":"low"', '4.2/quality-parameter'),
  withContent('content-text-part', 'message content as an array with a text part', [TEXT_PART]),
  {
    ...withContent('content-image-part', 'message content with an image part', [
      TEXT_PART,
      { type: 'image_url', image_url: { url: PIXEL_URL } },
    ]),
    chatTokens: PIXEL_URL.length + 2 * SMALL_CHAT_TOKENS,
  },
  withContent('content-empty', 'empty message content', ''),
  {
    name: 'messages-empty',
    requirement: '4.2/messages-open',
    tried: 'an empty messages array',
    request: ({ chat }) => chat({ messages: [] }),
  },
  withMembers('null-optional', 'null for an optional parameter', '"temperature":null', '4.2/json-forms'),
  withMembers('integer-with-point', '10.0 for an integer', '"max_tokens":10.0', '4.2/json-forms'),
  withMembers('integer-with-exponent', '1e1 for an integer', '"max_tokens":1e1', '4.2/json-forms'),
  withMembers('duplicate-member', 'the same field twice', '"max_tokens":16,"max_tokens":8', '4.2/json-forms'),
  withMembers('unknown-member', 'an unknown field', '"touchstone":1', '4.2/json-forms'),
  {
    name: 'invalid-utf8',
    requirement: '4.2/json-forms',
    tried: 'bytes that are not valid UTF-8',
    request: (context) => context.chat({}, { rawBody: notUtf8(context) }),
  },
  withContent('content-null-character', 'message content with the character U+0000', 'Say hello.\u0000'),
  {
    ...withMembers('max-tokens-zero', 'max_tokens 0', '"max_tokens":0', '4.2/max-tokens-lower-bound'),
    chatTokens: UNBOUND_CHAT_TOKENS,
  },
  {
    ...withMembers('max-tokens-negative', 'max_tokens -1', '"max_tokens":-1', '4.2/max-tokens-lower-bound'),
    chatTokens: UNBOUND_CHAT_TOKENS,
  },
  {
    name: 'stream-frames',
    requirement: '4.2/stream-framing',
    tried: 'a stream',
    request: ({ shared }) => shared.chat({ stream: true }),
    observe: (response) => {
      if (getMediaType(response) !== 'text/event-stream') return undefined
      const { chunks, done } = parseStream(response)
      return {
        kind: 'stream-frames',
        json: chunks.every(({ json }) => json !== undefined),
        names: [...new Set(response.events.map(({ event }) => event ?? 'message'))],
        done: done === undefined ? 'none' : done.last ? 'last' : 'not-last',
        usage: chunks.some(({ usage }) => usage !== undefined && usage !== null),
      }
    },
  },
  {
    name: 'stream-usage-asked',
    requirement: '4.2/stream-framing',
    tried: 'a stream with stream_options.include_usage',
    request: ({ shared }) => shared.chat({ stream: true, stream_options: { include_usage: true } }),
    observe: (response) => {
      // A target that does not stream cannot report usage in a stream.
      if (!expect.isServed(response) || response.events.length === 0) return undefined
      const withUsage = parseStream(response).chunks.filter(({ usage }) => usage !== undefined && usage !== null)
      if (withUsage.length === 0) return { kind: 'stream-usage', usage: 'none' }
      const isSeparate = withUsage.some(({ json, choices }) => json !== undefined && getItems(choices).length === 0)
      return { kind: 'stream-usage', usage: isSeparate ? 'without-choices' : 'with-choices' }
    },
  },
]

export const chatObservationChecks: readonly Check[] = OBSERVATIONS.map(({ name, ...observation }) =>
  defineObservationCheck({ ...observation, id: `4.2/${name}`, operation: 'chat' }),
)
