import type { LoadDocument } from '../../reports/load-document.ts'
import type { ExtensionResult } from '../../scenarios/lib/extension-result.ts'
import type { LoadSettings, TrafficSettings } from '../../scenarios/lib/load-settings.ts'
import { buildDocument, describePlan, describeSettings } from '../build-document.ts'
import { tryToCalibrate } from '../calibration/calibrate.ts'
import { calculateMaxSpentUnits } from '../credits/bound-spent-units.ts'
import { calculateTokenUnits } from '../credits/units.ts'
import { buildSpendLimitFinding, countCredits } from '../credits/count-credits.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { checkK6Options, findGeneratorProblem } from '../k6/k6-exit.ts'
import { type K6RunResult, runK6 } from '../k6/run-k6.ts'
import {
  buildMeasurements,
  createEmptyMeasurements,
  type MeasurementErrorFinder,
  type Measurements,
  hasUnboundedLatency,
  sumTokens,
} from '../metrics/measurements.ts'
import { mergeMeasurements } from '../metrics/merge-measurements.ts'
import type { LoadContext } from '../options/load-context.ts'
import type { LoadPlan } from '../plan/load-plan.ts'
import { describeOmissions, isKeyless, type OpenedTarget } from '../target/open-target.ts'
import { findIncompletePlan } from '../verdict/plan-completeness.ts'
import { addRunChecks } from '../verdict/run-checks.ts'
import { determineVerdict } from '../verdict/verdict.ts'
import { compareDistributions, findHeldText } from './compare-distributions.ts'
import { estimateTurnCost, buildTurnSettings, TURN_ORDER, type MeasuredServer } from './plan-turns.ts'
import type { OpenedUpstream } from './open-upstream.ts'

/**
 * Sends the load alternately to a gateway and its upstream, at the rate of the plan. Each turn takes an equal share of the
 * plan's duration. The document describes the gateway; the added latency is the difference between the two
 * distributions.
 */
export async function measureAlternately(
  plan: LoadPlan,
  context: LoadContext,
  { k6, target, upstream }: { readonly k6: string; readonly target: OpenedTarget; readonly upstream: OpenedUpstream },
): Promise<LoadDocument> {
  const { options, budgets, settings } = plan
  const startedAtUnixMs = Date.now()
  context.onPhase?.({ name: 'running' })
  const turns = await runTurns(plan, context, { k6, target, upstream })
  const own = resultsOf(turns, 'target')
  const isNeeded = options.calibration && hasUnboundedLatency(own)
  const { calibrated, missing } = await tryToCalibrate({ k6, settings, context, isNeeded })
  const errorOf = calibrated?.errorOf ?? (() => null)
  const ownTurns = measureTurns(own, errorOf)
  const referenceTurns = measureTurns(resultsOf(turns, 'upstream'), () => null)
  const measured = own.length === 0 ? createEmptyMeasurements(startedAtUnixMs, Date.now()) : mergeMeasurements(ownTurns)
  const measurements = addRunChecks(measured, { scenario: options.scenario, isEmulator: false })
  const hasBoth = ownTurns.length > 0 && referenceTurns.length > 0
  const section = hasBoth ? compareDistributions(upstream.url, ownTurns, referenceTurns) : undefined
  const note = 'The requests to the upstream cost the same amount, which is not included.'
  const known = { estimate: plan.estimate, note, balances: null }
  const { credits } = countCredits(measurements, options.credits && !isKeyless(target) ? known : null)
  const failed = turns.map(({ exit }) => findGeneratorProblem(exit)).find((problem) => problem !== undefined)
  const spent = turns.find(({ exit }) => exit.result?.outOfCredits !== undefined)?.exit.result?.outOfCredits
  const isInterrupted = context.signal.aborted
  const evaluation = determineVerdict(measurements, budgets, {
    isEmulator: false,
    isInterrupted: isInterrupted || spent !== undefined,
    generatorProblem: isInterrupted ? undefined : failed,
    upstream: section,
    notes: [...(hasBoth ? findHeldText(ownTurns, referenceTurns) : []), ...describeOmissions(target)],
    gaps: [
      ...(spent === undefined ? [] : [buildSpendLimitFinding(spent)]),
      ...(isInterrupted ? [] : [...findUnsentTurns(turns, plan), ...missing]),
    ],
  })
  return buildDocument(measurements, evaluation, {
    ...describePlan(plan, context, target.entry),
    credits,
    calibration: calibrated?.calibration ?? null,
    upstream: section,
    settings: describeSettings({ ...settings, target: target.url }),
  })
}

interface Turn {
  readonly side: MeasuredServer
  readonly settings: LoadSettings
  readonly exit: K6RunResult
}

/** Runs the turns one after another until one fails, reaches the spend limit or is interrupted. */
async function runTurns(
  { options, settings, prompts }: LoadPlan,
  context: LoadContext,
  { k6, target, upstream }: { readonly k6: string; readonly target: OpenedTarget; readonly upstream: OpenedUpstream },
): Promise<Turn[]> {
  const turns: Turn[] = []
  for (const [index, side] of TURN_ORDER.entries()) {
    if (context.signal.aborted) break
    const server = side === 'target' ? target : upstream
    const limited = applySpendLimit(buildTurnSettings(settings, index), { options, prompts }, turns)
    const own: LoadSettings = { ...limited, target: server.url }
    const exit = await runK6({
      k6,
      scenario: options.scenario,
      settings: own,
      keys: server.keys,
      // The headers are meant for the gateway, and can contain its credentials.
      headers: side === 'target' ? options.headers : [],
      keepsEvents: false,
      k6Options: options.k6Options,
      ca: options.ca,
      signal: context.signal,
      ...(context.onProgress === undefined ? {} : { onProgress: context.onProgress }),
    })
    checkK6Options(exit, options.k6Options)
    turns.push({ side, settings: own, exit })
    if (findGeneratorProblem(exit) !== undefined || exit.result?.outOfCredits !== undefined) break
  }
  return turns
}

type TurnPlan = Pick<LoadPlan, 'options' | 'prompts'>

/** Reduces the spend limit of a turn by the cost of the earlier turns. */
function applySpendLimit(settings: TrafficSettings, plan: TurnPlan, turns: readonly Turn[]): TrafficSettings {
  const { maxUnits } = settings.extension
  if (maxUnits === undefined) return settings
  const leftUnits = turns.reduce((left, turn) => left - spentUnitsOf(turn, plan), maxUnits)
  return { ...settings, extension: { ...settings.extension, maxUnits: Math.max(0, leftUnits) } }
}

function spentUnitsOf({ settings, exit }: Turn, { options, prompts }: TurnPlan): number {
  const all = Object.values(exit.result?.operations ?? {})
  const tokens = sumTokens(all.map((operation) => operation.tokens))
  return calculateMaxSpentUnits({
    countedUnits: calculateTokenUnits(tokens).units,
    maxUnits: estimateTurnCost(options.scenario, settings, prompts).units ?? 0,
    promptTokens: Object.values(tokens).reduce((sum, { prompt }) => sum + prompt, 0),
    sent: all.reduce((sum, { sent }) => sum + sent, 0),
    failed: all.reduce((sum, { failed, aborted }) => sum + failed + aborted, 0),
  })
}

function resultsOf(turns: readonly Turn[], wanted: Turn['side']): ExtensionResult[] {
  return turns.flatMap(({ side, exit }) => (side === wanted && exit.result !== undefined ? [exit.result] : []))
}

/** Builds the measurements of the turns of one service, as if each had followed the previous one without a pause. */
function measureTurns(results: readonly ExtensionResult[], errorOf: MeasurementErrorFinder): Measurements[] {
  let endUnixMs = results[0]?.startedAtUnixMs ?? 0
  return results.map((result) => {
    const startedAtUnixMs = endUnixMs
    endUnixMs += result.endedAtUnixMs - result.startedAtUnixMs
    return buildMeasurements({ ...result, startedAtUnixMs, endedAtUnixMs: endUnixMs }, errorOf)
  })
}

function findUnsentTurns(turns: readonly Turn[], { options }: LoadPlan): LoadFinding[] {
  const unsent = turns.flatMap(({ exit, settings }) =>
    exit.result === undefined ? [] : (findIncompletePlan(exit.result, options.scenario, settings) ?? []),
  )
  return unsent.slice(0, 1)
}
