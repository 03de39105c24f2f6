import { unitsFromCredits } from '../../lib/credits.ts'
import type { ResolvedLoad } from '../plan/resolve-load.ts'
import { creditsFromUnits } from './credits.ts'

/** Why a run may cost more than it is allowed to, in one sentence; undefined when it cannot. */
export function findExcess({ forecast, options }: ResolvedLoad): string | undefined {
  if (options.maxCredits === undefined) return undefined
  const most = unitsFromCredits(options.maxCredits)
  if (forecast.units === null) {
    return `Nobody can say whether this run stays within --max-credits ${options.maxCredits}: ${forecast.note ?? 'its cost is not known.'}`
  }
  if (most !== undefined && forecast.units <= most) return undefined
  return `This run may cost up to ${creditsFromUnits(forecast.units)} credits, more than --max-credits ${options.maxCredits}.`
}
