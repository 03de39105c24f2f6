import type { LoadDocument } from '../reports/load-document.ts'
import { judge } from './verdict/verdict.ts'
import { assembleDocument } from './build-document.ts'
import type { ProgressResult } from '../scenarios/lib/extension-result.ts'
import { noFacts } from './metrics/measurements.ts'
import { findOrBuildK6 } from './k6/find-k6.ts'
import type { Keys } from './k6/run-k6.ts'
import type { LoadKeys, LoadSurroundings } from './options/load-options.ts'
import { countUnits, creditsFromUnits } from './credits/units.ts'
import { countAtEmulator, countAtTarget, type Sharpened } from './plan/refine-estimate.ts'
import { measureLoad } from './measure-load.ts'
import type { ResolvedLoad } from './plan/plan-load.ts'
import { openTarget, type OpenTarget } from './target/open-target.ts'

export { EXIT_CODES } from './verdict/exit-code.ts'
export { parseBudget, parseBudgetFile } from './verdict/parse-budget.ts'
export type { Budget } from './verdict/budget.ts'
export type { EmbeddedTarget, LoadOptions, LoadPhase, LoadSurroundings } from './options/load-options.ts'
export { PROFILES, type ProfileName } from '../scenarios/lib/profiles.ts'
export type { LoadDocument } from '../reports/load-document.ts'
export type { ProgressResult } from '../scenarios/lib/extension-result.ts'
export { builtK6, findOrBuildK6, type K6 } from './k6/find-k6.ts'
export { findExcess } from './plan/check-limit.ts'
export { countAtEmulator } from './plan/refine-estimate.ts'
export { type ForecastSummary, summarizeForecast } from './plan/summarize-plan.ts'
export { resolveLoad, type ResolvedLoad } from './plan/plan-load.ts'
export { SCENARIOS } from './plan/scenarios.ts'
export { LoadUsageError } from './options/invalid-option-error.ts'

/**
 * Makes a load run: finds k6 and the target, calibrates, sends, and judges what was measured. Always ends with a document.
 * @throws LoadUsageError where something that was asked for cannot be; nothing was sent then
 */
export async function runLoad(resolved: ResolvedLoad, surroundings: LoadSurroundings): Promise<LoadDocument> {
  const startedAtUnixMs = Date.now()
  const { options } = resolved
  const k6 = await findOrBuildK6({
    path: options.k6,
    cacheDirectory: surroundings.environment['TOUCHSTONE_CACHE'],
    environment: surroundings.environment,
    signal: surroundings.signal,
    onBuilding: (elapsedS) => surroundings.onPhase?.({ name: 'building', elapsedS }),
  })
  if ('problem' in k6) return nothingRun(resolved, surroundings, { startedAtUnixMs, problem: k6.problem })
  const target = await openTarget(options, surroundings)
  try {
    const problem = target.problem ?? missingKey(resolved, target.keys)
    if (problem !== undefined) return nothingRun(resolved, surroundings, { startedAtUnixMs, problem, target })
    const sharpened = await sharpen(resolved, surroundings, target)
    const equipment = { k6: k6.path, target, keys: environmentKeys(target.keys), moneyNotes: sharpened.notes }
    return await measureLoad(sharpened.resolved, surroundings, equipment)
  } finally {
    await target.close()
  }
}

/** Prompts are counted where that costs nobody anything, or somebody asks for it. */
async function sharpen(
  resolved: ResolvedLoad,
  surroundings: LoadSurroundings,
  { entry, url, keys }: OpenTarget,
): Promise<Sharpened> {
  if (entry.isEmulator) return { resolved: await countAtEmulator(resolved, surroundings), notes: [] }
  if (resolved.options.countsPrompts !== true) return { resolved, notes: [] }
  surroundings.onPhase?.({ name: 'counting' })
  return countAtTarget(resolved, { url, key: keys[resolved.facts.key], signal: surroundings.signal })
}

function missingKey({ facts, options }: ResolvedLoad, keys: LoadKeys): string | undefined {
  if (keys[facts.key] !== undefined) return undefined
  const name = { funded: '', limited: '_LIMITED', small: '_SMALL' }[facts.key]
  const flag = { funded: '--key', limited: '--limited-key', small: '--small-key' }[facts.key]
  return `The scenario ${options.scenario} needs a key: give one with ${flag} or TOUCHSTONE_KEY${name}.`
}

function environmentKeys({ funded, limited, small }: LoadKeys): Keys {
  return {
    ...(funded === undefined ? {} : { TOUCHSTONE_KEY: funded }),
    ...(limited === undefined ? {} : { TOUCHSTONE_KEY_LIMITED: limited }),
    ...(small === undefined ? {} : { TOUCHSTONE_KEY_SMALL: small }),
  }
}

/** A document of a run that did not come to be, with the reason. */
function nothingRun(
  { options, budgets, settings, forecast }: ResolvedLoad,
  { toolVersion }: LoadSurroundings,
  { startedAtUnixMs, problem, target }: { startedAtUnixMs: number; problem: string; target?: OpenTarget },
): LoadDocument {
  const facts = noFacts(startedAtUnixMs, Date.now())
  const judged = judge(facts, budgets, { isEmulator: false, isInterrupted: false })
  const forecastCredits = forecast.units === null ? null : creditsFromUnits(forecast.units)
  return assembleDocument(
    facts,
    { ...judged, verdict: 'incomplete', reasons: [problem] },
    {
      toolVersion,
      target: target?.entry ?? {
        url: options.target ?? '',
        embedded: options.target === undefined,
        isEmulator: false,
        keys: {},
        models: {},
      },
      scenario: options.scenario,
      profile: options.profile,
      arrivals: settings.arrivals,
      credits: { forecast: forecastCredits, counted: null, ledger: null, tokens: {} },
      calibration: null,
      settings: {},
      segment: options.segment,
    },
  )
}

/** What a run has cost so far by what its answers reported, as a decimal string. */
export function countCreditsOf({ tokens }: ProgressResult): string {
  return creditsFromUnits(countUnits(tokens).units)
}
