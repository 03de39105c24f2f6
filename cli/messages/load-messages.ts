import { formatPlural } from '../../common/format-count.ts'
import { formatDuration } from '../../reports/load-verdict.ts'
import { formatFlagAndVariable } from '../../common/options/option-table.ts'
import {
  type LoadPlan,
  type OptionNameFormatter,
  OPTION_TABLE,
  type PlanSummary,
  type SearchSummary,
  type SpendExcess,
  summarizePlan,
  findSpendExcess,
} from '../../load/run-load.ts'

/** Names of the options without a flag. */
const FLAGLESS = {
  k6Options: 'options after --',
  k6: 'TOUCHSTONE_K6',
  upstreamKey: 'TOUCHSTONE_UPSTREAM_KEY',
  credits: 'a target without credits',
} as const

const isFlagless = (option: string): option is keyof typeof FLAGLESS => Object.hasOwn(FLAGLESS, option)

/** Formats an option as its flag, or as the variable or the member of a target file that sets it. */
export const flagOf: OptionNameFormatter = (option) =>
  isFlagless(option) ? FLAGLESS[option] : OPTION_TABLE[option].flag

/** Formats an option as its flag, followed by its environment variable, if it has one. */
export const formatLoadOptionName: OptionNameFormatter = (option) =>
  isFlagless(option) ? flagOf(option) : formatFlagAndVariable(OPTION_TABLE[option])

/** Describes a plan whose cost may exceed `--max-credits`. */
export function describeSpendExcess(excess: SpendExcess): string {
  return excess.reason === 'unbounded'
    ? `The cost of this run has no upper bound, so --max-credits ${excess.maxCredits} cannot be guaranteed: ${excess.note}`
    : `This run may cost up to ${excess.credits} credits, more than --max-credits ${excess.maxCredits}.`
}

export function describeLoadPlan(plan: LoadPlan): string {
  const {
    scenario,
    profile,
    arrivals,
    requests,
    requestsByOperation,
    warmUpRequests,
    credits,
    exactness,
    note,
    budgets,
    search,
    chatTokens: { prompt, completion },
  } = summarizePlan(plan)
  const byOperation = Object.entries(requestsByOperation).map(([operation, count]) => `${operation} ${count}`)
  const amount =
    requests === null
      ? 'as many requests as the target completes'
      : `${requests} ${requests === 1 ? 'request' : 'requests'} (${byOperation.join(', ')})`
  const warmUp = describeWarmUp(plan.settings.warmUpS, warmUpRequests)
  const excess = findSpendExcess(plan)
  const hasCredits = plan.options.credits
  return [
    ...(search === undefined ? [] : [`${describeSearch(search, hasCredits)} The first run:`]),
    `${scenario} (profile ${profile}, ${arrivals}) would send ${amount}${warmUp}${requests === null ? '' : `: at most ${prompt} prompt tokens and ${completion} completion tokens of chat`}`,
    ...(hasCredits ? [describeCost({ credits, note, exactness })] : []),
    ...budgets.map(({ budget, needed, expected }) => {
      const few = expected !== null && expected < needed ? `, but only ${expected} are expected` : ''
      return `Budget ${budget}: needs ${needed} ${needed === 1 ? 'sample' : 'samples'}${few}`
    }),
    ...(excess === undefined ? [] : [`${describeSpendExcess(excess)} The run would end with exit code 2.`]),
    'Nothing was sent.',
    '',
  ].join('\n')
}

function describeWarmUp(warmUpS: number | undefined, requests: number | null): string {
  if (warmUpS === undefined) return ''
  return ` after a warm-up of ${warmUpS} s${requests === null ? '' : ` with ${requests} requests`}`
}

function describeCost({ credits, note, exactness }: Pick<PlanSummary, 'credits' | 'note' | 'exactness'>): string {
  return credits === null
    ? `Credits: no upper bound. ${note ?? ''}`.trimEnd()
    : [`Credits: at most ${credits}`, note, exactness].filter((part) => part !== null).join('. ')
}

function describeSearch(
  { unit, firstLevel, maxLevel, resolutionPercent, maxDurationS, durationS, credits }: SearchSummary,
  hasCredits: boolean,
): string {
  const bound =
    credits === null
      ? 'The cost of all runs has no upper bound.'
      : `The estimated maximum of all runs is ${credits} credits.`
  const cost = hasCredits ? ` ${bound}` : ''
  const highest = formatPlural(maxLevel, unit)
  const levels = firstLevel === maxLevel ? highest : `${firstLevel} to ${highest}`
  const [from, to] = [formatDuration(durationS.from), formatDuration(durationS.to)]
  const expected = from === to ? from : `${from} to ${to}`
  return `The search would measure ${levels} until it knows the capacity to within ${resolutionPercent} %. It takes about ${expected} if a response takes two seconds, and at most ${formatDuration(maxDurationS)}.${cost}`
}
