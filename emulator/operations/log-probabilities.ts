import { createSeededRandom } from '../state/seeded-random.ts'
import type { Corpus } from './text/corpus.ts'

export const MAX_TOP_LOGPROBS = 20

/** Source of the generated probabilities of a completion's tokens. */
export interface LogProbabilities {
  /** Number of most probable tokens to list at each position. */
  readonly top: number
  /** Seed of the emulator, and the request: together, they determine the probabilities. */
  readonly seed: number
  /** Source of the other tokens. */
  readonly corpus: Corpus
  readonly fingerprint: string
}

/** Log probability of a token, with the most probable tokens at its position. */
export interface TokenProbability extends CandidateToken {
  readonly top_logprobs: readonly CandidateToken[]
}

interface CandidateToken {
  readonly token: string
  readonly logprob: number
  readonly bytes: readonly number[]
}

/** Serializes the field `logprobs` of a choice. The parameters are those of `createLogProbabilities`. */
export function renderLogProbabilities(source: LogProbabilities, tokens: readonly string[], from = 0): string {
  return JSON.stringify({ content: createLogProbabilities(source, tokens, from), refusal: null })
}

/**
 * Creates the log probabilities of tokens. The chosen token is always the most probable one. Its probability is at
 * least one half. Each further token has half of the remaining probability.
 * @param tokens texts of consecutive tokens
 * @param from position of the first of these tokens in the completion
 */
export function createLogProbabilities(
  { top, seed, corpus, fingerprint }: LogProbabilities,
  tokens: readonly string[],
  from: number,
): readonly TokenProbability[] {
  return tokens.map((token, index) => {
    const random = createSeededRandom(seed, `logprobs ${fingerprint}`, from + index)
    const probability = (1 + random.next()) / 2
    const candidates = [token, ...chooseOtherTokens(corpus, token, random.integerBelow(corpus.tokenCount), top - 1)]
    const ranked = candidates.map((text, rank) =>
      describeToken(text, rank === 0 ? probability : (1 - probability) / 2 ** rank),
    )
    return { ...describeToken(token, probability), top_logprobs: ranked.slice(0, top) }
  })
}

function describeToken(token: string, probability: number): CandidateToken {
  return { token, logprob: Number(Math.log(probability).toFixed(6)), bytes: [...Buffer.from(token)] }
}

function chooseOtherTokens(corpus: Corpus, token: string, start: number, count: number): string[] {
  const chosen = new Set<string>()
  for (let index = start; chosen.size < count; index += 1) {
    const other = corpus.getToken(index)
    if (other !== token) chosen.add(other)
  }
  return [...chosen]
}
