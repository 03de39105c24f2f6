/**
 * Numbers of the traffic policy: how fast the suite sends requests, how long it waits for a response, how often it
 * repeats a request, and when it stops. `docs/conformance.md` has the same table. Times are in milliseconds.
 */

/** The first requests: at most two are in flight. Each response then allows one more. */
export const FIRST_PARALLEL = 2
/** Wait after a 429 without `Retry-After`. Doubles with each further 429, up to the maximum. */
export const BACKOFF_MS = 1000
export const MAX_BACKOFF_MS = 30_000
/** Time without a 429 after which the rate doubles, or one more request may be in flight. */
export const QUIET_MS = 30_000
/** A key that has to wait longer gets no further requests. */
export const MAX_KEY_WAIT_MS = 120_000
/** Time with nothing but 429s after which the suite sends no further requests without a valid key. */
export const MAX_INVALID_KEY_WAIT_MS = 65_000
/** Time after a 429 without `Retry-After` from which another 429 for an account without credits is its response to them. */
export const ACCOUNT_WAIT_MS = 10_000
/** Number of 429s to one request after which the suite sends it again. */
export const MAX_LIMITED = 5

/** Deadline of requests before the target's first response. */
export const FIRST_DEADLINE_MS = 10_000
/** Minimum deadline of a request that may generate a chat, an image or audio. */
export const MIN_DEADLINE_MS = 60_000
/** Minimum deadline of a request that requires no generation: the list of models, and a request that the target should reject. */
export const MIN_ERROR_DEADLINE_MS = 20_000
/** Ratio of a longer deadline to the longest response of the operation so far. */
export const DEADLINE_FACTOR = 8
