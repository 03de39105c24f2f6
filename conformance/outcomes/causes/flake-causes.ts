import type { FindingParams, Outcome } from '../outcome.ts'
import type { ResponseParams } from '../observed-facts.ts'
import { describeFlake, formatCount } from '../sentences/responses.ts'
import { chooseCommand } from './choose-command.ts'
import type { CheckFinding, PossibleCause } from './finding.ts'
import type { RunFacts } from './run-facts.ts'
import { formatList, formatStatus, LIMIT_WITH_503 } from './title-parts.ts'

type Flakes = FindingParams['requests-flaked']

/** Minimum fraction of flaky requests at which a few of hundreds of requests break down twice by chance. */
const MIN_SHARE = 0.02

/** Minimum fraction of flaky requests if a rate limit is a possible reason, or if a few requests usually show a flake. */
const MIN_SHARE_OF_LIMIT = 0.05

/** Minimum fraction of the flakes that must be 503s if a rate limit is a possible reason. */
const MIN_LIMIT_SHARE = 0.9

/**
 * Returns the flakes of a run if they are so frequent that they may explain other breakdowns. They do not explain them
 * if such breakdowns failed more checks than there are flakes: few requests break down twice by chance.
 */
export function findFrequentFlakes(all: readonly CheckFinding[]): Flakes | undefined {
  return all
    .flatMap(({ outcome }) => (outcome.code === 'requests-flaked' ? [outcome.params] : []))
    .find((found) => {
      const failures = all.filter(({ outcome }) => outcome.verdict === 'fail' && resemblesFlakes(outcome, found))
      return found.flakes >= found.requests * MIN_SHARE && failures.length <= found.flakes
    })
}

/**
 * Returns the possible cause of a finding about flakes. Returns the same cause for a breakdown that resembles frequent
 * flakes of the run.
 */
export function findFlakeCauses({ outcome }: CheckFinding, { frequentFlakes }: RunFacts): PossibleCause[] {
  if (outcome.code === 'requests-flaked') return [flakes(outcome.params)]
  if (frequentFlakes === undefined) return []
  return resemblesFlakes(outcome, frequentFlakes) ? [flakes(frequentFlakes)] : []
}

function resemblesFlakes(outcome: Outcome, { by }: Flakes): boolean {
  const labels = new Set(by.map(formatStatus))
  const breakdowns = breakdownsOf(outcome)
  return breakdowns.length > 0 && breakdowns.every((response) => labels.has(formatStatus(response)))
}

function breakdownsOf(outcome: Outcome): readonly ResponseParams[] {
  switch (outcome.code) {
    case 'requests-broke-down':
      return outcome.params.by
    case 'request-broke-down':
    case 'control-request-not-served':
    case 'no-response':
    case 'unexpected-status': {
      const { actualStatus } = outcome.params
      return actualStatus === 0 || actualStatus >= 500 ? [outcome.params] : []
    }
    default:
      return []
  }
}

/**
 * Creates the possible cause that requests are flaky. Its title contains the time and the ID of a request, because a
 * repeated request would not show the flake.
 */
function flakes({ flakes: count, incidents, requests, by, first }: Flakes): PossibleCause {
  const where = incidents < count ? `, in ${formatCount(incidents, 'incident')},` : ''
  const with503 = by.reduce((sum, one) => sum + (one.actualStatus === 503 ? one.requests : 0), 0)
  const isFrequent = count >= requests * MIN_SHARE_OF_LIMIT
  const isLikeLimit = isFrequent && with503 >= count * MIN_LIMIT_SHARE
  const hint = isLikeLimit ? ` (${LIMIT_WITH_503})` : ''
  const title = (members: readonly CheckFinding[]): string => {
    const twice = describeOthers(members.filter(({ outcome }) => outcome.code !== 'requests-flaked'))
    const what =
      count === 1
        ? `A request breaks down once and succeeds when it is repeated${twice}${twice === '' ? '' : '; the first'}`
        : `${count} requests break down once${where} and succeed when they are repeated${hint}${twice}; the first`
    return `${what}: ${describeFlake(first)}`
  }
  return {
    key: 'flakes',
    title,
    command: (members) => (isFrequent ? repeatCommand(chooseCommand(members)) : undefined),
  }
}

/** Maximum number of check IDs in a title. */
const MAX_NAMED_CHECKS = 2

/** Names the checks that fail because a request also broke down when it was repeated. */
function describeOthers(members: readonly CheckFinding[]): string {
  const failed = members.filter(({ entry }) => entry.verdict === 'fail').map(({ entry }) => entry.id)
  if (failed.length === 0) return ''
  const subject = failed.length <= MAX_NAMED_CHECKS ? formatList(failed) : formatCount(failed.length, 'other check')
  return `, but ${subject} ${failed.length === 1 ? 'fails' : 'fail'} because a request broke down again when it was repeated`
}

/** Number of requests in a command. If 5 % of the requests are flakes, four of five of these commands show one. */
const REPEATED_REQUESTS = 30

/** Returns a shell command that repeats a request and prints only the statuses. */
function repeatCommand(command: string | undefined): string | undefined {
  // Options after a comment would have no effect.
  if (command === undefined || command.includes(' # ')) return undefined
  return `for i in $(seq ${REPEATED_REQUESTS}); do ${command} -o /dev/null -w '%{http_code}\\n'; done`
}
