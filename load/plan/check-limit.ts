import { unitsFromCredits } from '../../scenarios/lib/credits.ts'
import type { ResolvedLoad } from './plan-load.ts'
import { creditsFromUnits } from '../credits/units.ts'
import { countingUnits } from './refine-estimate.ts'

/** Why a run may cost more than it is allowed to, in one sentence; undefined when it cannot. */
export function findExcess(resolved: ResolvedLoad): string | undefined {
  const { forecast, options } = resolved
  if (options.maxCredits === undefined) return undefined
  const most = unitsFromCredits(options.maxCredits)
  if (forecast.units === null) {
    return `Nobody can say whether this run stays within --max-credits ${options.maxCredits}: ${forecast.note ?? 'its cost is not known.'}`
  }
  const units = forecast.units + countingUnits(resolved)
  if (most !== undefined && units <= most) return undefined
  return `This run may cost up to ${creditsFromUnits(units)} credits, more than --max-credits ${options.maxCredits}.`
}
