import type { LoadDocument } from '../reports/load-document.ts'
import { assembleDocument } from './build-document.ts'
import { type Budget, DEFAULT_BUDGET } from './verdict/budget.ts'
import { judge } from './verdict/verdict.ts'
import type { ExtensionResult } from '../scenarios/lib/extension-result.ts'
import { addClaims } from './verdict/run-checks.ts'
import { factsOf } from './metrics/measurements.ts'
import { plainSettings } from './measure-load.ts'
import { countCredits } from './credits/count-credits.ts'

/** The result of a process that nobody but k6 itself ran, as on another machine. */
export type LooseResult = ExtensionResult & Required<Pick<ExtensionResult, 'run'>>

/** True of what a script writes at `resultPath`. */
export function isLooseResult(value: unknown): value is LooseResult {
  return typeof value === 'object' && value !== null && 'run' in value && 'operations' in value && !('kind' in value)
}

/**
 * The document that `touchstone load` would have written. Nobody calibrated the generator or knows the ledger, so that these are
 * null, and nobody forecast the cost.
 * @param budgets none: the default one
 */
export function adoptResult(result: LooseResult, budgets: readonly Budget[], toolVersion: string): LoadDocument {
  const { scenario, settings } = result.run
  const whole = factsOf(result, () => null)
  const isPart = result.segment.count > 1
  const facts = isPart ? whole : addClaims(whole, { scenario, isEmulator: false })
  const judgement = judge(facts, budgets.length === 0 ? [DEFAULT_BUDGET] : budgets, {
    isEmulator: false,
    isInterrupted: false,
  })
  return assembleDocument(facts, judgement, {
    toolVersion,
    target: { url: settings.target, embedded: false, isEmulator: false, keys: {}, models: settings.models },
    scenario,
    profile: 'by hand',
    arrivals: settings.arrivals,
    credits: countCredits(facts, { forecast: null, notes: [], balances: null }).credits,
    calibration: null,
    settings: plainSettings(settings),
    segment: isPart ? result.segment : undefined,
  })
}
