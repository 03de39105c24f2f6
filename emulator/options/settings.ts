import { DEFAULT_DECISIONS, type Decisions } from './unspecified-behaviour/decisions.ts'
import type { RequestLogLimits } from '../observability/request-log/request-log.ts'
import type { RateLimitDefaults } from '../state/accounts.ts'
import { LATENCY_PROFILES, type LatencyProfile } from '../state/latency.ts'

/** How many tokens an answer has: a natural length, always `max_tokens`, or a number (cut by `max_tokens`). */
export type AnswerTokens = 'natural' | 'fill' | number

/** What can be set. */
export interface Settings extends RateLimitDefaults {
  /** Same seed, same answers. */
  readonly seed: number
  readonly answerTokens: AnswerTokens
  readonly latency: LatencyProfile
  /** What is done where the document is silent. */
  readonly decisions: Decisions
  /** `{base_url}` for image URLs, without a trailing slash; without it, the address that the client used. */
  readonly publicUrl?: string
  /** What control requests have to bring; without it, none is needed. */
  readonly controlToken?: string
  /** How much the journal keeps; what is left out has its default. */
  readonly journal?: Partial<RequestLogLimits>
}

/** What applies where nothing is set. */
export const DEFAULT_SETTINGS: Settings = {
  seed: 1,
  answerTokens: 'natural',
  latency: LATENCY_PROFILES.instant,
  decisions: DEFAULT_DECISIONS,
}
