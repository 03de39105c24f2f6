import { SMALL_CHAT_TOKENS } from '../../engine/check.ts'
import { PARAMETER_DEFAULTS } from '../../../contract/facts.ts'
import type { Check, CheckContext } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import { buildChatJson, encodeLatin1, type Observation, defineObservationCheck } from '../shared/observation-check.ts'
import { getItems, getMediaType } from '../shared/response-access.ts'
import { parseStream } from '../shared/stream.ts'

type ChatObservation = Omit<Observation, 'operation'>

const PIXEL_URL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Maximum prompt and completion tokens of a chat if the target replaces an invalid `max_tokens` with its default. */
const UNBOUND_CHAT_TOKENS = PARAMETER_DEFAULTS.max_tokens + SMALL_CHAT_TOKENS

function withMembers(id: string, tried: string, members: string): ChatObservation {
  return {
    id,
    requirement: '4.2/json-forms',
    tried,
    request: (context) => context.chat({}, { rawBody: buildChatJson(context, members) }),
  }
}

function withContent(id: string, tried: string, content: unknown): ChatObservation {
  return {
    id,
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
const IMAGE_PART = { type: 'image_url', image_url: { url: PIXEL_URL } }

const OBSERVATIONS: readonly ChatObservation[] = [
  {
    ...withMembers('4.2/quality-parameter', 'a parameter "quality": "low"', '"quality":"low"'),
    requirement: '4.2/quality-parameter',
  },
  withContent('4.2/content-text-part', 'message content as an array with a text part', [TEXT_PART]),
  {
    id: '4.2/content-image-part',
    requirement: '4.2/content-structure',
    tried: 'message content with an image part',
    // An owner may declare the same content. Another check then sends it, too.
    request: ({ shared }) => shared.chat({ messages: [{ role: 'user', content: [TEXT_PART, IMAGE_PART] }] }),
    chatTokens: PIXEL_URL.length + 2 * SMALL_CHAT_TOKENS,
  },
  withContent('4.2/content-empty', 'empty message content', ''),
  {
    id: '4.2/messages-empty',
    requirement: '4.2/messages-open',
    tried: 'an empty messages array',
    request: ({ chat }) => chat({ messages: [] }),
  },
  withMembers('4.2/null-optional', 'null for an optional parameter', '"temperature":null'),
  withMembers('4.2/integer-with-point', '10.0 for an integer', '"max_tokens":10.0'),
  withMembers('4.2/integer-with-exponent', '1e1 for an integer', '"max_tokens":1e1'),
  withMembers('4.2/duplicate-member', 'the same field twice', '"max_tokens":16,"max_tokens":8'),
  withMembers('4.2/unknown-member', 'an unknown field', '"touchstone":1'),
  {
    id: '4.2/invalid-utf8',
    requirement: '4.2/json-forms',
    tried: 'bytes that are not valid UTF-8',
    request: (context) => context.chat({}, { rawBody: notUtf8(context) }),
  },
  withContent('4.2/content-null-character', 'message content with the character U+0000', 'Say hello.\u0000'),
  {
    id: '4.2/max-tokens-one',
    requirement: '4.2/max-tokens-lower-bound',
    tried: 'max_tokens 1',
    // 4.2/max-tokens-everywhere evaluates the length of the completion, which shows a target with short, fixed texts.
    request: ({ chat }) => chat({ max_tokens: 1 }),
  },
  {
    ...withMembers('4.2/max-tokens-zero', 'max_tokens 0', '"max_tokens":0'),
    requirement: '4.2/max-tokens-lower-bound',
    chatTokens: UNBOUND_CHAT_TOKENS,
  },
  {
    ...withMembers('4.2/max-tokens-negative', 'max_tokens -1', '"max_tokens":-1'),
    requirement: '4.2/max-tokens-lower-bound',
    chatTokens: UNBOUND_CHAT_TOKENS,
  },
  {
    id: '4.2/stream-frames',
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
    id: '4.2/stream-usage-asked',
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

export const chatObservationChecks: readonly Check[] = OBSERVATIONS.map((observation) =>
  defineObservationCheck({ ...observation, operation: 'chat' }),
)
