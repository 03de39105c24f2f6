/**
 * Probability that a test accepts a wrong hypothesis, however often it is evaluated while samples arrive (Wald,
 * Sequential Analysis, 1947: under the null hypothesis, a likelihood ratio ever reaches 1/α with a probability of at
 * most α). It assumes independent samples, so a search also measures the lowest level that breaks a budget twice.
 */
const MAX_WRONG = 0.01
const THRESHOLD = Math.log(1 / MAX_WRONG)
/** Threshold for samples that only suggest that a percentile breaks. One sample above a limit never does. */
const SUSPICION = THRESHOLD / 3

/**
 * Odds of a sample above the limit under the two alternatives, relative to the odds at the percentile. Shares between
 * about half and twice the allowed share may stay undecided.
 */
const BROKEN_ODDS = 3
const HOLDS_ODDS = 1 / 5

/**
 * Returns the smallest number of samples above the limit that breaks a percentile, which allows the share `allowed`
 * above the limit. Exceeds `n` if `n` samples are too few. If none is allowed, one sample breaks it.
 */
export function countBreaking(n: number, allowed: number): number {
  return allowed === 0 ? 1 : countAbove(n, allowed, THRESHOLD)
}

/** Returns the smallest number of samples above the limit that suggests, without confidence, that a percentile breaks. */
export function countSuspicious(n: number, allowed: number): number {
  return allowed === 0 ? 1 : countAbove(n, allowed, SUSPICION)
}

function countAbove(n: number, allowed: number, threshold: number): number {
  return Math.ceil((threshold + n * Math.log(1 + allowed * (BROKEN_ODDS - 1))) / Math.log(BROKEN_ODDS))
}

/**
 * Returns the largest number of samples above the limit with which a percentile holds. Negative if `n` samples are too
 * few.
 */
export function countHolding(n: number, allowed: number): number {
  return Math.floor((THRESHOLD + n * Math.log(1 + allowed * (HOLDS_ODDS - 1))) / Math.log(HOLDS_ODDS))
}

/** Returns the number of samples with which a percentile holds although one sample is above its limit. */
export function countNeeded(allowed: number): number {
  return Math.ceil((Math.log(HOLDS_ODDS) - THRESHOLD) / Math.log(1 + allowed * (HOLDS_ODDS - 1)))
}
