/**
 * Numbers of the traffic policy. `docs/reference/conformance.md` explains them in a table. Times are in milliseconds.
 */

// How fast.

/** The first requests: at most two are in flight. Each response then allows one more. */
export const FIRST_PARALLEL = 2
/** Wait after a 429 without `Retry-After`. Doubles with each further 429, up to the maximum. */
export const BACKOFF_MS = 1000
export const MAX_BACKOFF_MS = 30_000
/** Time without a 429 after which the rate doubles, or one more request may be in flight. */
export const QUIET_MS = 30_000
/** Minimum number of requests that the target accepts in this time before the rate doubles. */
export const MIN_QUIET_REQUESTS = 20
/** Number of 429s that contradict a rate limit after which the rate has a fixed value, and this value. */
export const MAX_CONTRADICTIONS = 3
export const FALLBACK_PER_MS = 5 / 1000
/** Time with nothing but 429s, including the next wait, after which the suite sends no further requests with a key. */
export const MAX_KEY_WAIT_MS = 120_000
/** The same time for requests without a valid key: a minute and a margin. */
export const MAX_INVALID_KEY_WAIT_MS = 65_000
/** Wait after a 429 without `Retry-After` after which a second 429 is not about the rate, but about the account or the operation. */
export const SECOND_LIMIT_MS = 10_000
/** Number of 429s to one key while another key waits that show that both keys have the same limit. */
export const MIN_LIMITED_TOGETHER = 2

// How long.

/** Deadline of requests before the target's first response, and minimum deadline of health requests. */
export const FIRST_DEADLINE_MS = 10_000
/** Minimum deadline of a request that may generate a chat, an image or audio. */
export const MIN_DEADLINE_MS = 60_000
/** Minimum deadline of a request that requires no generation: the list of models, and a request that the target should reject. */
export const MIN_ERROR_DEADLINE_MS = 20_000
/** Ratio of a longer deadline to the longest response of the operation so far. */
export const DEADLINE_FACTOR = 8

// How often.

/** Minimum pause before a repeat after a breakdown, and the pause if the response has no `Retry-After`. */
export const REPEAT_PAUSE_MS = 1000
/** Maximum pause before a repeat. A longer `Retry-After` is shortened to it. */
export const MAX_REPEAT_PAUSE_MS = 10_000
/** Number of 429s to one request after which the suite sends it again. */
export const MAX_LIMITED = 5

// When to stop.

/** Pauses before the control request of an operation is repeated, so that a short outage closes no operation. */
export const CONTROL_PAUSES_MS: readonly number[] = [1000, 3000]
/**
 * Pauses before the rounds of health requests that confirm an outage. The target may take several seconds to restart,
 * and a rate limit that returns 503 may allow requests again after ten seconds.
 */
export const OUTAGE_PAUSES_MS: readonly number[] = [1000, 2000, 4000, 4000]
/** Minimum number of these rounds, and the time after which no further round starts. */
export const MIN_OUTAGE_ROUNDS = 2
export const MAX_OUTAGE_MS = 12_000
/** Maximum `Retry-After` for which a health request waits. */
export const MAX_HEALTH_WAIT_MS = 60_000
/**
 * Pauses before the rounds of health requests that confirm a rejection of the key or the client. There are several, because one of
 * several replicas may not know the key, and parallel requests may hold credits for a moment.
 */
export const REJECTION_PAUSES_MS: readonly number[] = [0, 500, 1000, 2000, 2000]
/** Health requests follow the first response that puts the key or the client in doubt, and every tenth of its kind. */
export const DOUBTS_PER_CONFIRMATION = 10
/** Maximum time between the end of a request and a lost connection at which the request may be its cause. */
export const SUSPECT_MS = 1000
/** Time limit of a run that the tester does not limit. */
export const TIME_LIMIT_MS = 600_000
/** Time that this limit leaves in addition to the time that the rate limit of the key requires. */
export const TIME_LIMIT_MARGIN_MS = 60_000
