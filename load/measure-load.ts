import type { LoadDocument } from '../reports/load-document.ts'
import type { LoadSettings } from '../scenarios/lib/load-settings.ts'
import { buildDocument, describePlan, describeSegment, describeSettings } from './build-document.ts'
import { tryToCalibrate } from './calibration/calibrate.ts'
import { type RunComparison, compareRun } from './calibration/compare-run.ts'
import { countCredits, buildSpendLimitFinding } from './credits/count-credits.ts'
import { type Balances, type BalanceWatch, watchBalance } from './credits/watch-balance.ts'
import type { LoadFinding } from './findings/finding.ts'
import { checkK6Options, findBreakpoint, findGeneratorProblem, isK6Interrupted } from './k6/k6-exit.ts'
import { describeEventsProblem, type K6RunOptions, type K6RunResult, runK6 } from './k6/run-k6.ts'
import type { RunContext } from './options/load-context.ts'
import {
  buildMeasurements,
  createEmptyMeasurements,
  countSentRequests,
  hasUnboundedLatency,
} from './metrics/measurements.ts'
import { validateStart } from './plan/validate-options.ts'
import type { LoadPlan } from './plan/load-plan.ts'
import { type EmulatorAddress, waitUntilIdle } from './target/emulator-client.ts'
import { describeOmissions, isKeyless, type OpenedTarget } from './target/open-target.ts'
import { findIncompletePlan } from './verdict/plan-completeness.ts'
import { type OpenedUpstream, createUpstreamComparator } from './upstream/open-upstream.ts'
import { addRunChecks } from './verdict/run-checks.ts'
import { determineVerdict } from './verdict/verdict.ts'

/**
 * Runs k6 and determines the verdict. Compares the result with the emulator's record if the target is an emulator.
 * Otherwise, calibrates if the run does not bound its own errors.
 */
export async function measureLoad(
  plan: LoadPlan,
  context: RunContext,
  {
    k6,
    target,
    upstream,
  }: { readonly k6: string; readonly target: OpenedTarget; readonly upstream?: OpenedUpstream | undefined },
): Promise<LoadDocument> {
  const { options, budgets, scenario, estimate } = plan
  const { isEmulator } = target.entry
  const startedAtUnixMs = Date.now()
  validateStart(options.startAtUnixMs)
  const emulator = { url: target.url, signal: context.recordSignal }
  const watch = await createUpstreamComparator(upstream, plan.settings, context.recordSignal)
  const settings = settingsFor(plan, target, watch.prefix)
  const key = target.keys[scenario.key] ?? ''
  const readBalances = isEmulator ? await watchBalance(emulator, key) : undefined
  context.onPhase?.({ name: 'running' })
  const keepsEvents = isEmulator || watch.prefix !== undefined
  const exit = await runK6({ ...selectK6Options(plan, context), k6, settings, keys: target.keys, keepsEvents })
  checkK6Options(exit, options.k6Options)
  if (keepsEvents) context.onPhase?.({ name: 'comparing' })
  const compared: Comparison = readBalances === undefined ? {} : await compare(emulator, exit, readBalances)
  const { comparison, balances = null, gap } = compared
  const isNeeded = options.calibration && !isEmulator && hasUnboundedLatency([exit.result])
  const { calibrated, missing } = await tryToCalibrate({ k6, settings: plan.settings, context, isNeeded })
  const errorOf = comparison?.errorOf ?? calibrated?.errorOf ?? (() => null)
  const measured =
    exit.result === undefined
      ? createEmptyMeasurements(startedAtUnixMs, Date.now())
      : buildMeasurements(exit.result, errorOf)
  const measurements =
    options.segment === undefined ? addRunChecks(measured, { scenario: options.scenario, isEmulator }) : measured
  const known = options.credits && !isKeyless(target) ? { estimate, balances } : null
  const { credits, contradiction } = countCredits(measurements, known)
  const { tokens } = measurements
  const calibration = comparison?.calibration ?? calibrated?.calibration ?? null
  const added = await watch.compare({ exit, tokens, calibration: calibrated?.calibration ?? null })
  const isInterrupted = context.signal.aborted
  const breakpoint = findBreakpoint(settings, exit)
  const evaluation = determineVerdict(measurements, budgets, {
    isEmulator,
    isInterrupted: isInterrupted || exit.result?.outOfCredits !== undefined,
    generatorProblem: isInterrupted ? undefined : findGeneratorProblem(exit),
    upstream: added.upstream,
    gaps: [
      ...(exit.result?.outOfCredits === undefined ? [] : [buildSpendLimitFinding(exit.result.outOfCredits)]),
      // An interruption also explains a missing record, and a missing calibration.
      ...(isInterrupted
        ? []
        : [
            ...added.gaps,
            ...findEarlyEnd(exit, settings, { plan, isExplained: breakpoint.length > 0 }),
            ...(gap === undefined ? missing : [gap]),
          ]),
    ],
    contradictions: selectContradictions(contradiction, exit, plan),
    notes: [...breakpoint, ...added.notes, ...describeOmissions(target)],
  })
  return buildDocument(measurements, evaluation, {
    ...describePlan(plan, context, target.entry),
    credits,
    calibration,
    upstream: added.upstream,
    settings: describeSettings(settings),
    segment: options.segment && describeSegment(options.segment, exit.result),
  })
}

function selectK6Options(
  { options: { scenario, headers, segment, k6Options, ca } }: LoadPlan,
  { signal, onProgress }: RunContext,
): Omit<K6RunOptions, 'k6' | 'settings' | 'keys' | 'keepsEvents'> {
  return { scenario, headers, segment, k6Options, ca, signal, ...(onProgress === undefined ? {} : { onProgress }) }
}

/** Returns findings if k6 stopped early and no other finding explains why. */
function findEarlyEnd(
  { result, exitCode }: K6RunResult,
  settings: LoadSettings,
  { plan, isExplained }: { readonly plan: LoadPlan; readonly isExplained: boolean },
): LoadFinding[] {
  if (result === undefined || result.outOfCredits !== undefined || isExplained) return []
  const unsent = findIncompletePlan(result, plan.options.scenario, settings)
  if (unsent === undefined && countSentRequests(result) > 0) return []
  return [
    ...(isK6Interrupted({ exitCode }) ? [{ code: 'k6-interrupted', params: {} } as const] : []),
    ...(unsent === undefined ? [] : [unsent]),
  ]
}

/**
 * Builds the settings of the k6 script for a plan.
 * @param requestIds prefix of the request IDs, if the run identifies its requests
 */
function settingsFor(
  { settings }: LoadPlan,
  { url, limit, smallBalance }: OpenedTarget,
  requestIds?: string,
): LoadSettings {
  return {
    ...settings,
    target: url,
    ...(requestIds === undefined ? {} : { extension: { ...settings.extension, requestIds } }),
    ...(settings.limit !== undefined || limit === undefined ? {} : { limit }),
    ...(settings.smallBalance !== undefined || smallBalance === undefined ? {} : { smallBalance }),
  }
}

/**
 * Returns the finding that the ledger charged a different amount than `usage` reports, if there is one. Returns none
 * without a result, and none for a segment, because other segments may use the same account concurrently.
 */
function selectContradictions(
  contradiction: LoadFinding | null,
  { result }: K6RunResult,
  { options }: LoadPlan,
): LoadFinding[] {
  return contradiction === null || result === undefined || options.segment !== undefined ? [] : [contradiction]
}

interface Comparison {
  readonly comparison?: RunComparison
  readonly balances?: Balances | null
  /** The reason why there is no comparison. */
  readonly gap?: LoadFinding
}

/** Compares a run with the record of the emulator that was its target. */
async function compare(
  emulator: EmulatorAddress,
  { events, eventsProblem, result }: K6RunResult,
  readBalances: BalanceWatch,
): Promise<Comparison> {
  const concurrency = result?.series.reduce((max, { inFlight }) => Math.max(max, inFlight), 1) ?? 1
  try {
    await waitUntilIdle(emulator)
    const balances = await readBalances(new Set(events.map(({ requestId }) => requestId)))
    if (eventsProblem !== undefined) return { balances, gap: describeEventsProblem(eventsProblem) }
    const measured = events.filter(({ isWarmUp }) => isWarmUp !== true)
    return { balances, comparison: await compareRun(emulator, measured, concurrency) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { gap: { code: 'record-unreadable', params: { message } } }
  }
}
