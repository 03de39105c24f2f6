import { PARAMETER_DEFAULTS } from '../../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { LONG_COMPLETION_MESSAGES, LONG_CHAT_TOKENS } from '../shared/long-completion.ts'
import { getMember, isCount } from '../shared/response-access.ts'
import { isTruncatedStream } from '../shared/stream.ts'
import { findExcessLength, measureStream } from './stream-length.ts'

/** Number of streams to request. A target may exceed the bound in only some of them. */
const STREAMS = 3

/**
 * Maximum length of a stream without usage, as a multiple of the bound. Its tokens are only estimated from its text,
 * and tokens vary in length.
 */
const MAX_EXCESS = 1.25

interface Bound {
  /** The `max_tokens` of the request, or undefined for the default. */
  readonly maxTokens: number | undefined
  readonly bound: number
  readonly streams: number
}

/**
 * Compares the length of streams with their bound. Uses the tokens in `usage` if the target sends it, and otherwise
 * estimates them from the text.
 */
async function expectBoundedStreams({ chat }: CheckContext, { maxTokens, bound, streams }: Bound): Promise<Outcome> {
  const plain = { messages: LONG_COMPLETION_MESSAGES, max_tokens: maxTokens }
  const withUsage = { ...plain, stream: true, stream_options: { include_usage: true } }
  const first = await chat(withUsage)
  const fields = expect.isServed(first) ? withUsage : { ...plain, stream: true }
  const expected: Expectation = { tokensAtMost: bound }
  let longest: Exchange | undefined
  let hasTruncated = false
  for (let sent = 0; sent < streams; sent += 1) {
    const response = sent === 0 && expect.isServed(first) ? first : await chat(fields)
    const outcome = expect.checkResponse(response, expected, () => findExcessLength(measureStream(response), bound))
    if (outcome.verdict !== 'pass') return outcome
    hasTruncated ||= isTruncatedStream(response)
    if (longest === undefined || sizeOf(response) > sizeOf(longest)) longest = response
  }
  // A truncated stream proves nothing, because its missing part might exceed the bound.
  if (hasTruncated) return expect.markNoEvidence('recognizable-end')
  const { tokens, characters, bytes } = measureStream(longest ?? first)
  if (tokens !== undefined) return expect.pass(expected, { kind: 'tokens', tokens })
  if (bytes > 0 && bytes <= bound) return expect.pass(expected, { kind: 'short-text', bytes })
  const tokensPerCharacter = characters === 0 ? undefined : measureTokensPerCharacter(await chat(plain))
  const estimate = tokensPerCharacter === undefined ? undefined : characters * tokensPerCharacter
  return estimate !== undefined && estimate <= bound * MAX_EXCESS
    ? expect.pass(expected, { kind: 'text-length', characters, tokens: Math.round(estimate) })
    : expect.markNoEvidence('stream-length')
}

function sizeOf(response: Exchange): number {
  const { tokens, characters } = measureStream(response)
  return tokens ?? characters
}

/**
 * Returns the average tokens per character of a non-streaming completion. Returns undefined without text or usage.
 */
function measureTokensPerCharacter({ json }: Exchange): number | undefined {
  const tokens = getMember(json, 'usage', 'completion_tokens')
  const content = getMember(json, 'choices', 0, 'message', 'content')
  return isCount(tokens) && typeof content === 'string' && content !== '' ? Number(tokens) / content.length : undefined
}

export const streamBoundCheck = defineCheck({
  id: '4.2/max-tokens-bound-stream',
  requirement: '4.2/max-tokens',
  title: 'streams no more tokens than max_tokens',
  operation: 'chat',
  parameter: 'max_tokens',
  cost: { requests: STREAMS + 2, chatTokens: (STREAMS + 2) * LONG_CHAT_TOKENS },
  run: (context) =>
    expectBoundedStreams(context, {
      maxTokens: context.smallMaxTokens,
      bound: context.smallMaxTokens,
      streams: STREAMS,
    }),
})

export const streamDefaultBoundCheck = defineCheck({
  id: '8/max-tokens-default-stream',
  requirement: '8/max-tokens-default',
  title: `streams at most ${PARAMETER_DEFAULTS.max_tokens} tokens without max_tokens`,
  operation: 'chat',
  parameter: 'max_tokens',
  cost: { requests: 3, chatTokens: 3 * (LONG_CHAT_TOKENS + PARAMETER_DEFAULTS.max_tokens) },
  run: (context) =>
    expectBoundedStreams(context, { maxTokens: undefined, bound: PARAMETER_DEFAULTS.max_tokens, streams: 1 }),
})

export const streamBoundChecks: readonly Check[] = [streamBoundCheck, streamDefaultBoundCheck]
