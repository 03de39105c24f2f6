import type { SearchUnit } from '../../reports/load-parts-document.ts'
import type { CostEstimate } from '../credits/cost-estimate.ts'
import type { SearchSettings } from '../find/search-levels.ts'
import type { LoadOptions } from '../options/load-options.ts'
import type { Budget } from '../verdict/budget.ts'
import type { PlannedLoad } from './planned-requests.ts'
import type { ScenarioProperties } from '../../scenarios/lib/scenarios.ts'

export interface LoadPlan extends PlannedLoad {
  readonly options: LoadOptions
  readonly scenario: ScenarioProperties
  readonly budgets: readonly Budget[]
  readonly estimate: CostEstimate
  /** Plan of a search for the capacity. Set only if this is the plan of the first run of a search. */
  readonly search?: SearchPlan
}

export interface SearchPlan extends SearchSettings {
  /** Kind of load that the search varies. */
  readonly unit: SearchUnit
  /** Expected duration in seconds, if the capacity is near the first level and near the highest one. */
  readonly durationS: { readonly from: number; readonly to: number }
  /** Time after which the search starts no further run. */
  readonly maxDurationS: number
  /** Approximate upper bound of the cost of all runs in credits, as a decimal string, or null if there is none. */
  readonly credits: string | null
  /** Options that the user gave for the search. `LoadPlan.options` are those of the first run. */
  readonly options: LoadOptions
}
