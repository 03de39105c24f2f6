import { type Budget, TOKEN_METRICS } from '../verdict/budget.ts'
import { samplesNeeded, writeBudget } from '../verdict/format-budget.ts'
import type { LoadOperation } from '../../scenarios/lib/load-operation.ts'
import type { ResolvedLoad } from './plan-load.ts'
import { creditsFromUnits } from '../credits/units.ts'
import { exactnessOf } from '../credits/cost-estimate.ts'

/** What a run would do, for whoever asks before. */
export interface ForecastSummary {
  readonly scenario: string
  readonly profile: string
  readonly arrivals: string
  /** Null: nobody can say. */
  readonly requests: number | null
  readonly requestsByOperation: Readonly<Partial<Record<LoadOperation, number>>>
  /** What `chatTokens.prompt` is: counted beforehand, or an upper bound by bytes. That of answers is always one by max_tokens. */
  readonly prompts: 'bounded' | 'counted'
  readonly chatTokens: { readonly prompt: number; readonly completion: number }
  /** Upper bound, decimal string; null where there is none. */
  readonly credits: string | null
  /** How exact it is, one sentence; null where there is none. */
  readonly exactness: string | null
  readonly note: string | null
  /** `expected` samples: null where nobody can say. */
  readonly budgets: readonly { readonly budget: string; readonly needed: number; readonly expected: number | null }[]
}

/** Sums up what a settled run would send and cost. */
export function summarizeForecast({ options, settings, forecast, budgets }: ResolvedLoad): ForecastSummary {
  const { requests, chatTokens, prompts, units, note } = forecast
  return {
    scenario: options.scenario,
    profile: options.profile,
    arrivals: settings.arrivals,
    requests: requests === null ? null : Object.values(requests).reduce((sum, count) => sum + count, 0),
    requestsByOperation: requests ?? {},
    prompts,
    chatTokens,
    credits: units === null ? null : creditsFromUnits(units),
    exactness: exactnessOf(forecast),
    note,
    budgets: budgets.map((budget) => ({
      budget: writeBudget(budget),
      needed: samplesNeeded(budget),
      expected: requests === null ? null : samplesExpected(budget, requests),
    })),
  }
}

function samplesExpected(budget: Budget, requests: Readonly<Partial<Record<LoadOperation, number>>>): number | null {
  if (budget.kind === 'latency' && budget.metric === 'gap') return null
  const isOfStreams = budget.kind === 'latency' && TOKEN_METRICS.includes(budget.metric)
  const counted = Object.entries(requests).filter(([operation]) =>
    budget.operation === null ? !isOfStreams || operation === 'chat-stream' : operation === budget.operation,
  )
  return counted.reduce((sum, [, count]) => sum + count, 0)
}
