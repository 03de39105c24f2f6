import type { RateLimitedResponse } from './rate-estimator.ts'

/** Number of 429s to one key while another key waits that show that both keys have the same limit. */
const MIN_LIMITED_TOGETHER = 2

/** The last 429 to a kind of key. */
interface LastLimited {
  readonly atMs: number
  /** End of the wait that the 429 requires. */
  readonly untilMs: number
  /** Whether the target has accepted a later request with any key. */
  hasAcceptedSince: boolean
}

/**
 * Detects from 429s to different keys that their limit is a common one, e.g. that of an IP address. The limit is common
 * if the target rejects requests with two keys, one after the other, and accepts none in between. It is also common if
 * the target repeatedly rejects a key while another one has to wait.
 */
export class CommonLimitDetector<Key> {
  readonly #lastLimited = new Map<Key, LastLimited>()
  #limitedTogether = 0
  #isFound = false

  get isFound(): boolean {
    return this.#isFound
  }

  accepted(sentAtMs: number): void {
    for (const last of this.#lastLimited.values()) last.hasAcceptedSince ||= sentAtMs >= last.atMs
  }

  /** Ignores the earlier 429s to a key, because its account is the reason for them. */
  forget(key: Key): void {
    this.#lastLimited.delete(key)
  }

  /** Records a 429. Returns whether the limit is common. */
  limited(key: Key, { sentAtMs, nowMs, waitMs }: RateLimitedResponse): boolean {
    this.#lastLimited.set(key, { atMs: nowMs, untilMs: nowMs + waitMs, hasAcceptedSince: false })
    const others = [...this.#lastLimited].flatMap(([other, last]) =>
      other === key || sentAtMs < last.atMs ? [] : [last],
    )
    if (others.some(({ untilMs }) => sentAtMs < untilMs)) this.#limitedTogether += 1
    this.#isFound ||=
      others.some(({ hasAcceptedSince }) => !hasAcceptedSince) || this.#limitedTogether >= MIN_LIMITED_TOGETHER
    return this.#isFound
  }
}
