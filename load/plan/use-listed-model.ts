import { planSearch } from '../find/plan-search.ts'
import type { LoadPlan } from './load-plan.ts'
import { planLoad } from './plan-load.ts'

/**
 * Plans again with the only model that a target lists, if the user chose none. Keeps the plan if the target lists another
 * number of models. Also keeps a plan with a spend limit, because the model may have no price.
 * @param listed IDs of the models that the target lists
 */
export async function useListedModel(plan: LoadPlan, listed: readonly string[]): Promise<LoadPlan> {
  const { options, settings, search } = plan
  const [model, ...others] = new Set(listed)
  const isChosen = options.models.length > 0 || options.maxCredits !== undefined
  if (model === undefined || others.length > 0 || isChosen || model === settings.models.chat) return plan
  const models = [{ operation: null, model }]
  return search === undefined ? planLoad({ ...options, models }) : planSearch({ ...search.options, models })
}
