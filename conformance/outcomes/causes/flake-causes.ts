import type { FindingParams, Outcome } from '../outcome.ts'
import type { ResponseParams } from '../observed-facts.ts'
import { describeFlake, formatCount } from '../sentences/responses.ts'
import { createPossibleCause, type CheckFinding, type PossibleCause } from './finding.ts'
import type { RunFacts } from './run-facts.ts'
import { formatStatus } from './title-parts.ts'

type Flakes = FindingParams['requests-flaked']

/** Minimum fraction of flaky requests at which some requests break down twice by chance. */
const MIN_SHARE = 0.05

/** Returns the flakes of a run if they are so frequent that they may explain other breakdowns. */
export function findFrequentFlakes(all: readonly CheckFinding[]): Flakes | undefined {
  return all
    .flatMap(({ outcome }) => (outcome.code === 'requests-flaked' ? [outcome.params] : []))
    .find(({ flakes, requests }) => flakes >= requests * MIN_SHARE)
}

/**
 * Returns the possible cause of a finding about flakes. Returns the same cause for a breakdown that resembles frequent
 * flakes of the run.
 */
export function findFlakeCauses({ outcome }: CheckFinding, { frequentFlakes }: RunFacts): PossibleCause[] {
  if (outcome.code === 'requests-flaked') return [flakes(outcome.params)]
  if (frequentFlakes === undefined) return []
  const labels = new Set(frequentFlakes.by.map(formatStatus))
  const breakdowns = breakdownsOf(outcome)
  const areAlike = breakdowns.length > 0 && breakdowns.every((response) => labels.has(formatStatus(response)))
  return areAlike ? [flakes(frequentFlakes)] : []
}

function breakdownsOf({ code, params }: Outcome): readonly ResponseParams[] {
  if (code === 'requests-broke-down') return params.by
  const isBreakdown = code === 'request-broke-down' || code === 'no-response' || code === 'unexpected-status'
  return isBreakdown && (params.actualStatus === 0 || params.actualStatus >= 500) ? [params] : []
}

/**
 * Creates the possible cause that requests are flaky. Its title contains the time and the ID of a request, because a
 * repeated request would not show the flake.
 */
function flakes({ flakes: count, incidents, requests, by, first }: Flakes): PossibleCause {
  const where = incidents < count ? `, in ${formatCount(incidents, 'incident')},` : ''
  const isLikeLimit = count >= requests * MIN_SHARE && by.every(({ actualStatus }) => actualStatus === 503)
  // By default, nginx rejects requests beyond a limit with 503.
  const hint = isLikeLimit ? ' (a rate limit that returns 503 instead of 429 has this effect)' : ''
  const what =
    count === 1
      ? 'A request breaks down once and succeeds when it is repeated'
      : `${count} requests break down once${where} and succeed when they are repeated${hint}; the first`
  return createPossibleCause('flakes', `${what}: ${describeFlake(first)}`)
}
