/**
 * Maximum percentage of requests that may be flakes, unless the owner sets a limit. An outage counts as one flake. Very
 * few flakes pass at any percentage.
 */
export const MAX_FLAKES_PERCENT = 2
const FEW_FLAKES = 2

/**
 * Returns whether the number of flakes is within the limit. Up to {@link FEW_FLAKES} flakes are always allowed, unless
 * the owner of the target sets a limit in percent.
 */
export function mayBeFlakes(flakes: number, requests: number, ownersPercent: number | undefined): boolean {
  const isFew = ownersPercent === undefined && flakes <= FEW_FLAKES
  return isFew || (100 * flakes) / requests <= (ownersPercent ?? MAX_FLAKES_PERCENT)
}
