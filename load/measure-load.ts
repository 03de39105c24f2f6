import type { LoadDocument } from '../reports/load-document.ts'
import type { LoadSettings } from '../scenarios/lib/load-settings.ts'
import { judge } from './verdict/verdict.ts'
import { assembleDocument } from './build-document.ts'
import type { ExtensionResult } from '../scenarios/lib/extension-result.ts'
import { addClaims } from './verdict/run-checks.ts'
import { type ErrorOf, type Facts, factsOf, noFacts } from './metrics/measurements.ts'
import { checkOptions, findBreakpoint, findHarnessProblem } from './k6/k6-exit.ts'
import { type K6End, type Keys, runK6 } from './k6/run-k6.ts'
import type { LoadSurroundings } from './options/load-options.ts'
import { countCredits } from './credits/count-credits.ts'
import { describeEnd } from './credits/describe-end.ts'
import type { OpenTarget } from './target/open-target.ts'
import { checkStart } from './plan/check-options.ts'
import type { ResolvedLoad } from './plan/plan-load.ts'
import { calibrate } from './calibration/calibrate.ts'
import { type Comparison, compareRun } from './calibration/compare-run.ts'
import { readBalance, waitUntilIdle } from './target/emulator-client.ts'

/** What a run is made with. */
export interface Equipment {
  readonly k6: string
  readonly target: OpenTarget
  readonly keys: Keys
  /** What is to be told of the forecast, one sentence each. */
  readonly moneyNotes: readonly string[]
}

/** Calibrates, sends, compares with the emulator's record where there is one, and judges. */
export async function measureLoad(
  resolved: ResolvedLoad,
  surroundings: LoadSurroundings,
  equipment: Equipment,
): Promise<LoadDocument> {
  const { options, budgets, facts: scenario, forecast } = resolved
  const { target } = equipment
  const { isEmulator } = target.entry
  const settings = settingsFor(resolved, target)
  const startedAtUnixMs = Date.now()
  const calibrated =
    isEmulator || !options.calibrates ? undefined : await calibrateFor(settings, surroundings, equipment.k6)
  checkStart(options.startAtUnixMs)
  const key = target.keys[scenario.key] ?? ''
  const before = isEmulator ? await readBalance(target.url, key) : undefined
  surroundings.onPhase?.({ name: 'running' })
  const end = await runK6({
    k6: equipment.k6,
    scenario: options.scenario,
    settings,
    keys: equipment.keys,
    segment: options.segment,
    keepsEvents: isEmulator,
    k6Options: options.k6Options,
    ca: options.ca,
    signal: surroundings.signal,
    ...(surroundings.onProgress === undefined ? {} : { onProgress: surroundings.onProgress }),
  })
  checkOptions(end, options.k6Options)
  if (isEmulator) surroundings.onPhase?.({ name: 'comparing' })
  const { comparison, gap } = isEmulator ? await compare(target.url, end) : { comparison: undefined, gap: undefined }
  const after = before === undefined ? undefined : await readBalance(target.url, key)
  const errorOf = comparison?.errorOf ?? calibrated?.errorOf ?? (() => null)
  const measured = factsFrom(end.result, errorOf, startedAtUnixMs, comparison)
  const facts =
    options.segment === undefined ? addClaims(measured, { scenario: options.scenario, isEmulator }) : measured
  const money = countCredits(facts, {
    forecast,
    notes: equipment.moneyNotes,
    balances: before === undefined || after === undefined ? null : { before, after },
  })
  // Of a run that was ended, everybody knows why something is missing.
  const isNeedless = isEmulator || !options.calibrates || surroundings.signal.aborted
  const judgement = judge(facts, budgets, {
    isEmulator,
    isInterrupted: surroundings.signal.aborted || end.result?.outOfCredits !== undefined,
    // Ended before it could tell anything, it has nothing to answer for.
    harnessProblem: surroundings.signal.aborted && end.result === undefined ? undefined : findHarnessProblem(end),
    gaps: [...endOfCredits(end), ...(gap === undefined ? gapOfCalibration(isNeedless, calibrated) : [gap])],
    contradictions: contradictionsOf(money.contradiction, end, options),
    notes: findBreakpoint(settings, end),
  })
  return assembleDocument(facts, judgement, {
    toolVersion: surroundings.toolVersion,
    target: { ...target.entry, models: settings.models },
    scenario: options.scenario,
    profile: options.profile,
    arrivals: settings.arrivals,
    credits: money.credits,
    calibration: comparison?.calibration ?? calibrated?.calibration ?? null,
    settings: plainSettings(settings),
    segment: options.segment,
  })
}

/** Asked for and not made, it leaves budgets without what they have to be held against. */
function gapOfCalibration(isNeedless: boolean, calibrated: object | undefined): string[] {
  if (isNeedless || calibrated !== undefined) return []
  return ["The generator's own error could not be measured before the run: --no-calibration does without."]
}

function endOfCredits({ result }: K6End): string[] {
  return result?.outOfCredits === undefined ? [] : [describeEnd(result.outOfCredits)]
}

function settingsFor({ settings }: ResolvedLoad, { url, limit, smallBalance, entry }: OpenTarget): LoadSettings {
  return {
    ...settings,
    target: url,
    ...(settings.limit !== undefined || limit === undefined ? {} : { limit }),
    ...(settings.smallBalance !== undefined || smallBalance === undefined ? {} : { smallBalance }),
    ...(entry.isEmulator ? { tokenPerEvent: true } : {}),
  }
}

async function calibrateFor(settings: LoadSettings, { signal, startEmbedded, onPhase }: LoadSurroundings, k6: string) {
  const onProfile = (latency: string) => onPhase?.({ name: 'calibrating', progress: latency })
  return calibrate({ k6, concurrency: settings.vus, signal, startEmbedded, onProfile })
}

/** None where nothing was counted, and where another part of the load may be charged to the same account meanwhile. */
function contradictionsOf(
  contradiction: string | null,
  { result }: K6End,
  { segment }: ResolvedLoad['options'],
): string[] {
  return contradiction === null || result === undefined || segment !== undefined ? [] : [contradiction]
}

async function compare(url: string, { events, result }: K6End): Promise<{ comparison?: Comparison; gap?: string }> {
  const concurrency = result?.series.reduce((most, { inFlight }) => Math.max(most, inFlight), 1) ?? 1
  try {
    await waitUntilIdle(url)
    return { comparison: await compareRun(url, events, concurrency) }
  } catch (error) {
    return {
      gap: `The emulator's record could not be read (${error instanceof Error ? error.message : String(error)}).`,
    }
  }
}

function factsFrom(
  result: ExtensionResult | undefined,
  errorOf: ErrorOf,
  startedAtUnixMs: number,
  comparison: Comparison | undefined,
): Facts {
  if (result === undefined) return noFacts(startedAtUnixMs, Date.now())
  const facts = factsOf(result, errorOf)
  const different = comparison?.differentBodies ?? []
  const violation = {
    kind: 'other-body',
    count: different.length,
    example: `the body read for ${different[0] ?? ''} is not the one that the emulator sent`,
  }
  const { violations } = facts.oracle
  return {
    ...facts,
    oracle: {
      ...facts.oracle,
      violations: different.length === 0 ? violations : [...violations, violation],
      bodiesCompared: comparison?.bodiesCompared ?? null,
    },
  }
}

/** The settings as a document has them. */
export function plainSettings(settings: LoadSettings): LoadDocument['settings'] {
  const { stages, vus, iterations, seed, maxTokens, promptWords, timeoutMs } = settings
  return {
    stages: stages.map(({ durationS, from, to }) => `${durationS} s from ${from} to ${to}`).join(', '),
    vus,
    ...(iterations === undefined ? {} : { iterations }),
    seed,
    maxTokens,
    promptWords,
    timeoutMs,
  }
}
