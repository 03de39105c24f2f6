/** Maximum share of flakes, where an outage counts once, and the number of flakes up to which the share is ignored. */
export const MAX_FLAKES_PERCENT = 2
const FEW_FLAKES = 2

/**
 * Returns whether the share of requests that broke down is small enough to count as flakes. A limit that the owner sets applies to small
 * numbers as well.
 */
export function isFlakeShare(flakes: number, requests: number, ownersPercent: number | undefined): boolean {
  const isFew = ownersPercent === undefined && flakes <= FEW_FLAKES
  return isFew || (100 * flakes) / requests <= (ownersPercent ?? MAX_FLAKES_PERCENT)
}
