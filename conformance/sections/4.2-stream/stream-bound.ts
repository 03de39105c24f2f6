import { PARAMETER_DEFAULTS } from '../../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { boundOf, LONG_COMPLETION_MESSAGES, LONG_CHAT_TOKENS } from '../shared/long-completion.ts'
import { getCompletionTokens, getMember, isNonEmptyString } from '../shared/response-access.ts'
import { isTruncatedStream } from '../shared/stream.ts'
import { findExcessLength, measureStream } from './stream-length.ts'

/** A stream with usage, or else one without, and a completion from whose usage the tokens of a text can be estimated. */
const REQUESTS = 3

/** Maximum length of a stream without usage, as a multiple of the bound. Its tokens are estimated. */
const MAX_EXCESS = 1.25

/**
 * Compares the length of a stream with its bound. Uses the tokens in `usage` if the target sends it, and otherwise
 * estimates them from the text. The check 4.2/max-tokens-everywhere evaluates all other streams of the run.
 */
async function expectBoundedStream({ chat }: CheckContext, maxTokens: number | undefined): Promise<Outcome> {
  const { bound, ...kind } = boundOf(maxTokens)
  const plain = { messages: LONG_COMPLETION_MESSAGES, max_tokens: maxTokens }
  const withUsage = await chat({ ...plain, stream: true, stream_options: { include_usage: true } })
  const response = expect.isServed(withUsage) ? withUsage : await chat({ ...plain, stream: true })
  const expected: Expectation = { tokensAtMost: bound }
  const outcome = expect.checkResponse(response, expected, () =>
    findExcessLength(measureStream(response), { bound, ...kind }),
  )
  if (outcome.verdict !== 'pass') return outcome
  // A truncated stream proves nothing, because its missing part might exceed the bound.
  if (isTruncatedStream(response)) return expect.markNoEvidence('recognizable-end')
  const { tokens, characters, bytes } = measureStream(response)
  if (tokens !== undefined) return expect.pass(expected, { kind: 'tokens', tokens })
  if (bytes > 0 && bytes <= bound) return expect.pass(expected, { kind: 'short-text', bytes })
  const tokensPerCharacter = characters === 0 ? undefined : measureTokensPerCharacter(await chat(plain))
  const estimate = tokensPerCharacter === undefined ? undefined : characters * tokensPerCharacter
  return estimate !== undefined && estimate <= bound * MAX_EXCESS
    ? expect.pass(expected, { kind: 'text-length', characters, tokens: Math.round(estimate) })
    : expect.markNoEvidence('stream-length')
}

/** Returns the average tokens per character of a non-streaming completion, if it has text and usage. */
function measureTokensPerCharacter({ json }: Exchange): number | undefined {
  const tokens = getCompletionTokens(json)
  const content = getMember(json, 'choices', 0, 'message', 'content')
  return tokens !== undefined && isNonEmptyString(content) ? tokens / content.length : undefined
}

export const streamBoundCheck = defineCheck({
  id: '4.2/max-tokens-bound-stream',
  requirement: '4.2/max-tokens',
  title: 'streams no more tokens than max_tokens',
  operation: 'chat',
  parameter: 'max_tokens',
  cost: { requests: REQUESTS, chatTokens: REQUESTS * LONG_CHAT_TOKENS },
  run: (context) => expectBoundedStream(context, context.smallMaxTokens),
})

export const streamDefaultBoundCheck = defineCheck({
  id: '8/max-tokens-default-stream',
  requirement: '8/max-tokens-default',
  title: `streams at most ${PARAMETER_DEFAULTS.max_tokens} tokens without max_tokens`,
  operation: 'chat',
  parameter: 'max_tokens',
  cost: { requests: REQUESTS, chatTokens: REQUESTS * (LONG_CHAT_TOKENS + PARAMETER_DEFAULTS.max_tokens) },
  run: (context) => expectBoundedStream(context, undefined),
})

export const streamBoundChecks: readonly Check[] = [streamBoundCheck, streamDefaultBoundCheck]
