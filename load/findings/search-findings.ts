import { formatPlural } from '../../common/format-count.ts'
import type { SearchUnit } from '../../reports/load-parts-document.ts'
import type { FindingSentence, OptionNameFormatter } from './define.ts'
import { type FailureCause, listCauses } from './run-findings.ts'

/**
 * Findings of a search for the capacity. Levels are requests per second or parallel streams, as `unit` states. `other` is
 * the measured value of the other unit at `from`, or null, and `budgets` are those of the search, such as `ttft.p99 <= 300 ms`.
 */
export const SEARCH_FINDINGS = {
  /**
   * `broken` is a budget that fails at `to`, with its value, or null. `isNarrow`: both ends are close enough. `end` is
   * the reason why they are not, or null.
   */
  'capacity-found': (
    params: LoadAtCapacity & {
      readonly to: number
      readonly isNarrow: boolean
      readonly broken: string | null
      readonly end: 'inconclusive' | 'generator' | 'max-duration' | 'spend-limit' | null
    },
    name,
  ) => {
    const { from, end } = params
    const to = formatPlural(params.to, params.unit)
    const broken =
      params.broken === null
        ? `Two runs above ${from} and up to ${to} exceeded a budget.`
        : `At ${to}, ${params.broken}.`
    if (params.isNarrow) return `Holds ${describeCapacity(params)}. ${broken}`
    const reason = end === null ? '' : ` ${SEARCH_ENDS[end](name)}`
    return `The capacity is between ${from} and ${to}: holds ${describeCapacity(params)}. ${broken}${reason}`
  },
  'capacity-above-max-level': (params: LoadAtCapacity, name) =>
    `Holds ${describeCapacity(params)}, the highest level of the search (${name(params.unit === 'parallel streams' ? 'vus' : 'maxRate')}). The capacity may be higher.`,
  'no-level-holds': (params: { readonly level: number; readonly unit: SearchUnit; readonly broken: string | null }) =>
    `The budgets hold at no measured level. At ${formatPlural(params.level, params.unit)}, ${params.broken ?? 'the result is uncertain'}.`,
  /** The search ended without a result. `from` and `to` are null if they are unknown. */
  'search-ended': (
    params: {
      readonly end: Exclude<keyof typeof SEARCH_ENDS, 'inconclusive'>
      readonly from: number | null
      readonly to: number | null
      readonly unit: SearchUnit
    },
    name,
  ) => `${SEARCH_ENDS[params.end](name)} ${describeBounds(params)}`,
  /**
   * A run at twice the capacity, and then at half of it. `ended` requests ended during the overload, of which `failed`
   * failed. `causes` are statuses and errors of the whole run. `recoveredAfterS` is null if the budgets on
   * `recoveryMetrics` did not hold again.
   */
  'behaviour-above-capacity': (params: {
    readonly level: number
    readonly unit: SearchUnit
    readonly durationS: number
    readonly ended: number
    readonly failed: number
    readonly causes: readonly FailureCause[]
    readonly okPerSecond: number | null
    readonly okPerSecondAtCapacity: number | null
    readonly ttftP50Ms: number | null
    readonly ttftP50MsAtCapacity: number | null
    readonly recoveryLevel: number
    readonly recoveryS: number
    readonly recoveryMetrics: readonly string[]
    readonly recoveredAfterS: number | null
  }) => {
    const { ended, failed, okPerSecond, okPerSecondAtCapacity, ttftP50Ms, ttftP50MsAtCapacity, recoveredAfterS } =
      params
    const throughput =
      okPerSecond === null || okPerSecondAtCapacity === null
        ? ''
        : ` About ${roundRate(okPerSecond)} requests per second succeeded instead of ${roundRate(okPerSecondAtCapacity)}.`
    const latency =
      ttftP50Ms === null || ttftP50MsAtCapacity === null
        ? ''
        : ` The median TTFT was ${Math.round(ttftP50Ms)} ms instead of ${Math.round(ttftP50MsAtCapacity)} ms.`
    const then = ` Then, at ${formatPlural(params.recoveryLevel, params.unit)}, the budgets on ${params.recoveryMetrics.join(' and ')}`
    const outcome =
      recoveredAfterS === null
        ? `did not hold again within ${params.recoveryS} s`
        : `held again ${recoveredAfterS === 0 ? 'within a second' : `after ${recoveredAfterS} s`}`
    const recovery = params.recoveryMetrics.length === 0 ? '' : `${then} ${outcome}.`
    return `At ${formatPlural(params.level, params.unit)} for ${Math.round(params.durationS)} s, ${failed} of ${ended} requests failed${listCauses(params.causes)}.${throughput}${latency}${recovery}`
  },
} satisfies Record<string, FindingSentence>

/** Rounds to two significant digits, because a few seconds do not show more. */
function roundRate(perSecond: number): number {
  return Number(perSecond.toPrecision(2))
}

/** Explanation of each reason for which a search ended without a result, or with a wide range. */
const SEARCH_ENDS = {
  generator: () =>
    'The load generator reached its own limit: it started requests late, or its measurement error is more than a tenth of a budget. Use a faster or less busy machine.',
  'max-duration': (name) => `The search reached its time limit (${name('maxDurationS')}).`,
  'spend-limit': (name) => `The next run could exceed the spend limit (${name('maxCredits')}).`,
  'no-success': () => 'The search ended, because no request succeeded.',
  'run-failed': () => 'The search ended, because a run failed.',
  uncertain: (name) =>
    `The result was too close to a limit or had too few samples. Use another limit, or longer runs (${name('durationS')}).`,
  inconclusive: () => 'The runs between these levels were inconclusive.',
  interrupted: () => 'The search was interrupted.',
} satisfies Record<string, (name: OptionNameFormatter) => string>

type LoadAtCapacity = {
  readonly from: number
  readonly unit: SearchUnit
  readonly other: number | null
  readonly budgets: readonly string[]
}

function describeCapacity({ from, unit, other, budgets }: LoadAtCapacity): string {
  const otherUnit = unit === 'parallel streams' ? 'requests per second' : 'parallel streams'
  const measured = other === null ? '' : ` (${formatPlural(other, otherUnit)})`
  return `${formatPlural(from, unit)}${measured} at ${budgets.join(' and ')}`
}

function describeBounds({ from, to, unit }: { from: number | null; to: number | null; unit: SearchUnit }): string {
  const below = to === null ? undefined : `The budgets do not hold at ${formatPlural(to, unit)}.`
  if (from === null) return below ?? 'No level has a definite result.'
  return `The budgets hold at ${formatPlural(from, unit)}. ${below ?? 'Whether they hold above it is unknown.'}`
}
