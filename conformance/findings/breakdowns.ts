import { defineFinding, formatList } from './define.ts'
import { describeFailureNoun } from './failure-phrases.ts'
import type { BreakdownGroup, BrokenRequests, FlakedRequests, ResponseParams } from './fact-params.ts'
import { formatCount } from '../../common/format-count.ts'
import { describeFlake, describeResponse } from './responses.ts'

function describeGroups(groups: readonly BreakdownGroup[]): string {
  return groups
    .map(
      (group) =>
        `${group.endpoint}${describeDetails(group)} ${describeResponse(group)} ${group.requests === 1 ? 'once' : `${group.requests} times`}`,
    )
    .join('; ')
}

function describeDetails(group: BreakdownGroup): string {
  const { parallel, largeBody, invalidUtf8, role, parameter, stream, model, uncovered } = group
  if (uncovered !== undefined) return ` ${describeUncovered(uncovered)}`
  const others = parallel === undefined ? '' : ` with ${parallel - 1} others in parallel`
  const body = `${largeBody === undefined ? '' : ' with a body of 2 MB'}${invalidUtf8 === undefined ? '' : ' with invalid UTF-8'}`
  const kind = stream === undefined ? '' : ` ${stream ? 'with' : 'without'} stream true`
  const content = `${role === undefined ? '' : ` with a message of the role ${role}`}${parameter === undefined ? '' : ` with ${parameter}`}`
  return `${others}${body}${content}${kind}${model === undefined ? '' : ` for ${model}`}`
}

/** Describes requests that the specification does not cover, by the parameters with unusual values. */
function describeUncovered(parameters: readonly string[]): string {
  const names = formatList([...new Set(parameters)].map((name) => `\`${name}\``))
  return names === '' ? UNCOVERED : `with values of ${names} ${UNCOVERED}`
}

const UNCOVERED = 'that the specification does not cover'

/** Returns the groups that a title describes: if requests broke down in parallel, those, and unexplained ones. */
function listMain(groups: readonly BreakdownGroup[]): readonly BreakdownGroup[] {
  const isParallel = groups.some(({ parallel }) => parallel !== undefined)
  return isParallel ? groups.filter((one) => one.parallel !== undefined || describeDetails(one) === '') : groups
}

/** Lists what the requests of the groups have in common. Empty if there is nothing in one of the groups. */
function listDetails(groups: readonly BreakdownGroup[]): readonly string[] {
  const inParallel = groups.filter(({ parallel }) => parallel !== undefined)
  const named = inParallel.length > 0 ? inParallel : groups
  const uncovered = named.filter((group) => group.uncovered !== undefined)
  const details = [
    ...new Set(named.filter((group) => !uncovered.includes(group)).map((group) => describeDetails(group).trim())),
    ...(uncovered.length === 0 ? [] : [describeUncovered(uncovered.flatMap((group) => group.uncovered ?? []))]),
  ]
  return details.includes('') ? [] : details
}

/** Returns whether the specification covers none of the requests. It neither covers large bodies nor invalid UTF-8. */
function areUncovered(groups: readonly BreakdownGroup[]): boolean {
  const isUnusual = ({ uncovered, largeBody, invalidUtf8 }: BreakdownGroup): boolean =>
    (uncovered ?? largeBody ?? invalidUtf8) !== undefined
  return groups.some(({ uncovered }) => uncovered !== undefined) && groups.every(isUnusual)
}

function nounOf({ actualStatus, error, isErrorInBody, lacksResult }: ResponseParams): string {
  if (lacksResult === true) return `${actualStatus} without a result`
  if (isErrorInBody === true) return `${actualStatus} and an error in the body`
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
  'requests-broke-down': defineFinding<BrokenRequests>({
    harm: ({ by }) => (by.some(({ error }) => error === 'timeout') ? 'hang' : 'status'),
    sentence: ({ broken, requests, by, since, sinceAborted }) => {
      const event =
        sinceAborted === true ? `clients aborted requests of ${since}` : `the request of ${since} broke down`
      const start = since === undefined ? '' : `after ${event}, no new request was served: `
      const others = areUncovered(by) ? '. No valid request broke down' : ''
      return `${start}${broken} of ${requests} requests broke down, even when repeated: ${describeGroups(by)}${others}`
    },
    title: ({ by, since, sinceAborted }, { requests }) => {
      const nouns = listNouns(listMain(by))
      const problem = `break down with ${formatList(nouns, 'or')}`
      if (since !== undefined) {
        const event = sinceAborted === true ? 'clients abort requests' : 'a request'
        return `${requests} ${problem} after ${event} of ${since}, for the rest of the run`
      }
      const subject = `${requests} ${formatList(listDetails(by))}`.trim()
      const others = areUncovered(by) ? '; valid requests do not' : ''
      return `${subject} ${problem}${hintOf(nouns)}${others}`
    },
    groupBy: ({ by, since }) => [listDetails(by), listNouns(listMain(by)), since],
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
  /** Requests with the funded key that the target rejected only in parallel, of all to the same endpoints. */
  'rejected-in-parallel': defineFinding<{
    readonly rejected: number
    readonly requests: number
    readonly by: readonly BreakdownGroup[]
  }>({
    harm: 'status',
    sentence: ({ rejected, requests, by }) =>
      `${rejected} of ${formatCount(requests, 'valid request')} were served alone, but not among parallel requests: ${describeGroups(by)}`,
    title: ({ rejected, requests, by }) => {
      const endpoints = formatList([...new Set(by.map(({ endpoint }) => `\`${endpoint}\``))])
      return `Valid requests to ${endpoints} get ${formatList(listNouns(by), 'or')} among parallel requests, and are served when sent again alone: ${rejected} of ${requests}`
    },
  }),
} as const
