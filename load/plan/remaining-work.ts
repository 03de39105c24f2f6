import type { LoadPlan } from './load-plan.ts'

/**
 * Remaining work of a run: seconds, or the number of requests of a closed loop that ends after a number of requests.
 */
export type RemainingWork = { readonly seconds: number } | { readonly requests: number }

/** Returns the work that remains after `atS` seconds and `sent` requests, or undefined if the plan has no end. */
export function getRemainingWork({ settings }: LoadPlan, atS: number, sent: number): RemainingWork | undefined {
  if (settings.iterations !== undefined) return { requests: Math.max(0, settings.iterations - sent) }
  const durationS = settings.stages.reduce((sum, stage) => sum + stage.durationS, 0)
  return durationS === 0 ? undefined : { seconds: Math.max(0, Math.round(durationS - atS)) }
}
