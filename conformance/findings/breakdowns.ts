import { defineFinding, formatList } from './define.ts'
import { describeFailureNoun } from './failure-phrases.ts'
import type { BreakdownGroup, FlakedRequests, ResponseParams } from './fact-params.ts'
import { describeFlake, describeResponse, formatCount } from './responses.ts'

function describeGroups(groups: readonly BreakdownGroup[]): string {
  return groups
    .map(
      (group) =>
        `${group.endpoint}${describeDetails(group)} ${describeResponse(group)} ${group.requests === 1 ? 'once' : `${group.requests} times`}`,
    )
    .join('; ')
}

/** Describes what the requests of a group have in common, e.g. ` with stream true`. */
function describeDetails({ largeBody, invalidUtf8, stream, model }: BreakdownGroup): string {
  const body = `${largeBody === undefined ? '' : ' with a body of 2 MB'}${invalidUtf8 === undefined ? '' : ' with invalid UTF-8'}`
  const kind = stream === undefined ? '' : ` ${stream ? 'with' : 'without'} stream true`
  return `${body}${kind}${model === undefined ? '' : ` for ${model}`}`
}

/** Lists what the requests of the groups have in common. Empty if there is nothing in one of the groups. */
function listDetails(groups: readonly BreakdownGroup[]): readonly string[] {
  const details = [...new Set(groups.map((group) => describeDetails(group).trim()))]
  return details.includes('') ? [] : details
}

function nounOf({ actualStatus, error }: ResponseParams): string {
  return error === undefined ? String(actualStatus) : describeFailureNoun(error, actualStatus)
}

function listNouns(groups: readonly ResponseParams[]): readonly string[] {
  return [...new Set(groups.map(nounOf))].toSorted()
}

/** Hint for a title. By default, nginx rejects requests beyond a limit with 503. */
const LIMIT_WITH_503 = ' (a rate limit that returns 503 instead of 429 has this effect)'

function hintOf(nouns: readonly string[]): string {
  return nouns.length === 1 && nouns[0] === '503' ? LIMIT_WITH_503 : ''
}

/** Findings about requests that broke down, although they were not invalid. */
export const BREAKDOWNS = {
  /** Requests that broke down on every attempt. `requests` is the number of all requests to the operation. */
  'requests-broke-down': defineFinding<{
    readonly broken: number
    readonly requests: number
    readonly by: readonly BreakdownGroup[]
  }>({
    harm: ({ by }) => (by.some(({ error }) => error === 'timeout') ? 'hang' : 'status'),
    sentence: ({ broken, requests, by }) =>
      `${broken} of ${requests} requests broke down, even when repeated: ${describeGroups(by)}`,
    title: ({ by }, { requests }) => {
      const nouns = listNouns(by)
      const subject = `${requests} ${formatList(listDetails(by))}`.trim()
      return `${subject} break down with ${formatList(nouns, 'or')}${hintOf(nouns)}`
    },
    groupBy: ({ by }) => [listDetails(by), listNouns(by)],
  }),
  'requests-flaked': defineFinding<FlakedRequests>({
    harm: 'status',
    sentence: ({ flakes, incidents, requests, by, first }) => {
      const counted = incidents < flakes ? ` (${formatCount(incidents, 'incident')}: an outage counts once)` : ''
      return `${flakes} of ${formatCount(requests, 'request')} broke down once, and succeeded when repeated${counted}: ${describeGroups(by)}. The first: ${describeFlake(first)}`
    },
    title: ({ flakes, requests, by, first }) => {
      const nouns = listNouns(by)
      return `Requests are flaky: ${flakes} of ${requests} get ${formatList(nouns, 'or')} once, and succeed when repeated${hintOf(nouns)}. The first: ${describeFlake(first)}`
    },
  }),
} as const
