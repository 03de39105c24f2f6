import type { LoadDocument } from '../reports/load-document.ts'
import type { ProgressResult } from '../scenarios/lib/extension-result.ts'
import { OPTION_TABLE } from '../scenarios/lib/option-table.ts'
import type { GivenOptions } from '../scenarios/lib/option-values.ts'
import { buildDocument, describePlan } from './build-document.ts'
import { calculateTokenUnits, formatUnits } from './credits/units.ts'
import type { LoadFinding } from './findings/finding.ts'
import { findOrBuildK6 } from './k6/find-k6.ts'
import { InvalidOptionError } from './options/invalid-option-error.ts'
import type { LoadContext, RunContext } from './options/load-context.ts'
import { createLoadMask } from './options/load-mask.ts'
import { measureLoad } from './measure-load.ts'
import { createEmptyMeasurements } from './metrics/measurements.ts'
import { KEY_OPTIONS, applyDefaults } from './options/load-options.ts'
import { planLoad } from './plan/plan-load.ts'
import type { LoadPlan } from './plan/load-plan.ts'
import { useListedModel } from './plan/use-listed-model.ts'
import { delayAbort } from './target/emulator-client.ts'
import { findMissingModel } from './target/find-missing-model.ts'
import { isKeyless, openTarget, type OpenedTarget } from './target/open-target.ts'
import { readCertificates } from './target/target-client.ts'
import { measureAlternately } from './upstream/measure-alternately.ts'
import { findTurnsProblem } from './upstream/plan-turns.ts'
import { findCapacity } from './find/find-capacity.ts'
import { planSearch } from './find/plan-search.ts'
import { openUpstream } from './upstream/open-upstream.ts'
import { determineVerdict, ENDED_EARLY } from './verdict/verdict.ts'

export type { LoadDocument } from '../reports/load-document.ts'
export type { ProgressResult } from '../scenarios/lib/extension-result.ts'
export { OPTION_TABLE }
export {
  type GivenOptions,
  MODEL_OPERATIONS,
  type ModelOperation,
  type OptionTypes,
} from '../scenarios/lib/option-values.ts'
export { PROFILES } from '../scenarios/lib/profiles.ts'
export type { OptionNameFormatter } from './findings/define.ts'
export { describeFinding } from './findings/finding.ts'
export { findBuiltK6, findK6, findOrBuildK6 } from './k6/find-k6.ts'
export { getPlatformPackageName, type K6Digests, getK6FileName } from './k6/platform-package.ts'
export { GO_BUILD_FLAGS, type K6BuildProgress } from './k6/build-k6.ts'
export { runProgram } from './k6/run-program.ts'
export type { EmbeddedTarget, LoadContext, LoadPhase, SearchEvent } from './options/load-context.ts'
export { InvalidOptionError, KEY_OPTIONS }
export { createLoadMask, isSecretHeader } from './options/load-mask.ts'
export { OPTION_READERS } from './options/option-readers.ts'
export type { LoadPlan } from './plan/load-plan.ts'
export { SCENARIOS } from '../scenarios/lib/scenarios.ts'
export {
  findSpendExcess,
  type PlanSummary,
  type SearchSummary,
  type SpendExcess,
  summarizePlan,
} from './plan/summarize-plan.ts'
export type { Budget } from './verdict/budget.ts'
export { type BudgetProgress, evaluateProgress } from './verdict/evaluate-progress.ts'
export { formatBudget, parseBudget } from './verdict/parse-budget.ts'

/**
 * Plans a run and estimates its cost. Sends no requests to the target.
 * @throws InvalidOptionError
 */
export async function prepareLoad(given: GivenOptions, k6Options: readonly string[] = []): Promise<LoadPlan> {
  const options = applyDefaults(given, k6Options)
  // Reports a wrong file before k6 is built, which takes minutes.
  if (options.ca !== undefined) await readCertificates(options.ca)
  return options.find.length > 0 ? planSearch(options) : planLoad(options)
}

/** Time after an interruption within which the record of an emulator may still be read. */
const MAX_RECORD_MS = 500

/**
 * Runs a plan: finds or builds k6, opens the target, runs k6, calibrates and determines the verdict.
 * Resolves with a document even if the run fails or is interrupted.
 * @throws InvalidOptionError before the first request of the load
 */
export async function runLoad(plan: LoadPlan, context: LoadContext): Promise<LoadDocument> {
  const document = await runPlan(plan, context)
  const { key, limitedKey, smallKey, upstreamKey, headers, target, upstream } = plan.options
  const urls = [target, upstream, context.proxy, context.upstreamProxy]
  const mask = createLoadMask({ keys: [key, limitedKey, smallKey, upstreamKey], headers, urls })
  const { findings = [], settings } = document
  const { body } = settings
  const masked = mask.maskJson(findings)
  // Without a secret in its parameters, a sentence contains only our own words, which may be words of a key.
  return {
    ...document,
    ...(masked === findings ? {} : { findings: masked, reasons: mask.maskJson(document.reasons) }),
    ...(typeof body === 'string' ? { settings: { ...settings, body: mask.mask(body) } } : {}),
  }
}

async function runPlan(given: LoadPlan, context: LoadContext): Promise<LoadDocument> {
  let plan = given
  const { signal } = context
  const startedAtUnixMs = Date.now()
  let target: OpenedTarget | undefined
  try {
    const k6 = await findOrBuildK6({
      path: plan.options.k6,
      cacheDirectory: context.environment['TOUCHSTONE_CACHE'],
      environment: context.environment,
      signal,
      onBuilding: (build) => context.onPhase?.({ name: 'building', build }),
    })
    signal.throwIfAborted()
    if ('finding' in k6) return emptyDocument(plan, context, { startedAtUnixMs, finding: k6.finding })
    target = await openTarget(plan.options, context)
    signal.throwIfAborted()
    plan = await useListedModel(given, target.listed)
    if (plan !== given) target = { ...target, listedModel: plan.settings.models.chat }
    const upstream = await openUpstream(plan.options, context)
    const isAlternating = upstream?.isEmulator === false
    const finding =
      target.problem ??
      upstream?.problem ??
      (isAlternating ? findTurnsProblem(plan) : undefined) ??
      findMissingKey(plan, target) ??
      (await findMissingModel(plan, target, context))
    signal.throwIfAborted()
    if (finding !== undefined) return emptyDocument(plan, context, { startedAtUnixMs, finding, target })
    const { search } = plan
    const run: RunContext = { ...context, recordSignal: delayAbort(signal, MAX_RECORD_MS) }
    if (search !== undefined) return await findCapacity({ ...plan, search }, run, { k6: k6.path, target })
    if (isAlternating) return await measureAlternately(plan, context, { k6: k6.path, target, upstream })
    return await measureLoad(plan, run, { k6: k6.path, target, upstream })
  } catch (error) {
    // After an interruption, an operation may fail with any error.
    if (signal.aborted) return emptyDocument(plan, context, { startedAtUnixMs, finding: ENDED_EARLY, target })
    if (error instanceof InvalidOptionError) throw error
    const message = error instanceof Error ? error.message : String(error)
    return emptyDocument(plan, context, {
      startedAtUnixMs,
      finding: { code: 'run-failed', params: { message } },
      target,
    })
  } finally {
    await target?.close()
  }
}

/** Finds out whether the scenario lacks a key. A target without keys needs none for scenarios that measure no account. */
function findMissingKey({ scenario, options }: LoadPlan, target: OpenedTarget): LoadFinding | undefined {
  const isNeeded = scenario.key !== 'funded' || !isKeyless(target)
  if (target.keys[scenario.key] !== undefined || !isNeeded) return undefined
  return {
    code: 'scenario-requires-key',
    params: { scenario: options.scenario, option: KEY_OPTIONS[scenario.key].option },
  }
}

/** Builds the document of a run that could not start. */
function emptyDocument(
  plan: LoadPlan,
  context: LoadContext,
  {
    startedAtUnixMs,
    finding,
    target,
  }: { startedAtUnixMs: number; finding: LoadFinding; target?: OpenedTarget | undefined },
): LoadDocument {
  const measurements = createEmptyMeasurements(startedAtUnixMs, Date.now())
  const { budgets: entries } = determineVerdict(measurements, plan.budgets, {
    isEmulator: false,
    isInterrupted: false,
  })
  return buildDocument(
    measurements,
    { verdict: finding.code === 'run-failed' ? 'harness-error' : 'incomplete', findings: [finding], budgets: entries },
    describePlan(plan, context, target?.entry),
  )
}

/**
 * Calculates the current cost of a run from the `usage` of its responses.
 * @returns credits as a decimal string, or null if none of the models has a price
 */
export function countProgressCredits({ tokens }: ProgressResult): string | null {
  const { units, unlisted } = calculateTokenUnits(tokens)
  return units === 0 && unlisted.length > 0 ? null : formatUnits(units)
}

/**
 * Remaining work of a run: seconds, or the number of requests of a closed loop that ends after a number of requests.
 */
type RemainingWork = { readonly seconds: number } | { readonly requests: number }

/** Returns the work that remains after `atS` seconds and `sent` requests, or undefined if the plan has no end. */
export function getRemainingWork({ settings }: LoadPlan, atS: number, sent: number): RemainingWork | undefined {
  if (settings.iterations !== undefined) return { requests: Math.max(0, settings.iterations - sent) }
  const durationS = settings.stages.reduce((sum, stage) => sum + stage.durationS, 0)
  return durationS === 0 ? undefined : { seconds: Math.max(0, Math.round(durationS - atS)) }
}
