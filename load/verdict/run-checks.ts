import type { Facts } from '../metrics/measurements.ts'
import { judgeDrift } from './drift.ts'
import { observePredictions } from './observe-predictions.ts'

/** What is claimed of a whole run when all its facts are there. Parts of a run claim nothing by themselves. */
export function addClaims(facts: Facts, { scenario, isEmulator }: { scenario: string; isEmulator: boolean }): Facts {
  const oracle = isEmulator ? facts.oracle : observePredictions(facts.oracle)
  const drift = scenario === 'soak' && facts.requests.sent > 0 ? judgeDrift(facts) : []
  return { ...facts, oracle: { ...oracle, checks: [...oracle.checks, ...drift] } }
}
