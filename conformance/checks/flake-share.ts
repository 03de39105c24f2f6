/**
 * Maximum percentage of requests that are flakes. An outage counts as one flake. A run with very few flakes passes at
 * any percentage.
 */
export const MAX_FLAKES_PERCENT = 2
const FEW_FLAKES = 2

/**
 * Returns whether flakes may explain the breakdowns of a run. A limit that the owner sets also applies to small
 * numbers.
 */
export function mayBeFlakes(flakes: number, requests: number, ownersPercent: number | undefined): boolean {
  const isFew = ownersPercent === undefined && flakes <= FEW_FLAKES
  return isFew || (100 * flakes) / requests <= (ownersPercent ?? MAX_FLAKES_PERCENT)
}
