import { basename } from 'node:path'
import { nameProperty } from '../common/options/invalid-option-error.ts'
import { hideSecretMembers } from '../common/secrets/secret-values.ts'
import { SPEC_SHA256 } from '../contract/facts.ts'
import type { Calibration, LoadCredits, LoadDocument, LoadTarget } from '../reports/load-document.ts'
import type { LoadSearch, LoadUpstream } from '../reports/load-parts-document.ts'
import type { ExtensionResult } from '../scenarios/lib/extension-result.ts'
import type { LoadSettings, PromptFile } from '../scenarios/lib/load-settings.ts'
import type { RunSegment } from '../scenarios/lib/option-values.ts'
import { formatUnits } from './credits/units.ts'
import type { OptionNameFormatter } from './findings/define.ts'
import { describeFindings } from './findings/finding.ts'
import { roundMs } from './metrics/histogram.ts'
import { calculateOutputTokens } from './metrics/output-tokens.ts'
import { listEntries, type Measurements } from './metrics/measurements.ts'
import type { LoadContext } from './options/load-context.ts'
import type { LoadPlan } from './plan/load-plan.ts'
import type { RunEvaluation } from './verdict/verdict.ts'

/** Position of a segment of a run, with the clock of the target. */
export type LoadSegment = Extract<LoadDocument['segment'], { readonly index: number }>

/** Data of a load document besides its measurements and its evaluation. */
export interface RunMetadata {
  readonly toolVersion: string
  readonly target: LoadTarget
  readonly scenario: string
  readonly profile: string
  readonly arrivals: string
  readonly credits: LoadCredits
  readonly calibration: Calibration | null
  readonly upstream?: LoadUpstream | undefined
  readonly search?: LoadSearch | undefined
  /** Successful requests per second while the load of a search was steady. Default: those of the whole run. */
  readonly okPerSecond?: number
  readonly settings: LoadDocument['settings']
  readonly segment?: LoadDocument['segment'] | undefined
  /** Returns the name of an option for messages. By default, the names are those of `LoadOptions`. */
  readonly nameOption?: OptionNameFormatter | undefined
}

/** Describes what the document of a run says about its plan and its target, as far as it does not depend on the result. */
export function describePlan(
  { options, settings, estimate }: Pick<LoadPlan, 'options' | 'settings' | 'estimate'>,
  { toolVersion, nameOption }: Pick<LoadContext, 'toolVersion' | 'nameOption'>,
  target?: LoadTarget,
): RunMetadata {
  const { target: url = '', scenario, profile, segment } = options
  const unopened = { url, embedded: options.target === undefined, isEmulator: false, keys: {}, models: {} }
  return {
    toolVersion,
    nameOption,
    target: target === undefined ? unopened : { ...target, models: settings.models },
    scenario,
    profile,
    arrivals: settings.arrivals,
    credits: {
      estimate: estimate.units === null ? null : formatUnits(estimate.units),
      counted: null,
      ledger: null,
      tokens: {},
    },
    calibration: null,
    settings: {},
    segment,
  }
}

export function buildDocument(
  measurements: Measurements,
  { verdict, findings, budgets }: RunEvaluation,
  description: RunMetadata,
): LoadDocument {
  const { toolVersion, segment, upstream, search, nameOption = nameProperty, ...others } = description
  const { tokens: _, ...measured } = measurements
  const { okPerSecond } = description
  // The figures of a search are those of its steady load.
  const rated =
    okPerSecond === undefined
      ? measurements
      : { ...measurements, durationMs: (1000 * measured.requests.ok) / okPerSecond }
  const outputTokens = calculateOutputTokens(rated)
  return {
    schemaVersion: 1,
    kind: 'load',
    tool: { name: 'touchstone', version: toolVersion },
    spec: { sha256: SPEC_SHA256 },
    ...measured,
    ...others,
    verdict,
    reasons: describeFindings(findings, nameOption),
    findings,
    budgets,
    goodputPerSecond: goodputOf(rated),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(upstream === undefined ? {} : { upstream }),
    ...(search === undefined ? {} : { search }),
    ...(segment === undefined ? {} : { segment }),
  }
}

export function describeSettings(settings: LoadSettings): LoadDocument['settings'] {
  const { stages, vus, iterations, seed, maxTokens, promptWords, prompts, nonce, body, warmUpS, timeoutMs } = settings
  return {
    stages: stages.map(({ durationS, from, to }) => `${durationS} s from ${from} to ${to}`).join(', '),
    vus,
    ...(iterations === undefined ? {} : { iterations }),
    ...(warmUpS === undefined ? {} : { warmUpS }),
    seed,
    maxTokens,
    ...(prompts === undefined ? { promptWords } : { prompts: describePromptFile(prompts) }),
    ...(nonce ? {} : { nonce }),
    ...(body === undefined ? {} : { body: JSON.stringify(hideSecretMembers(body)) }),
    timeoutMs,
  }
}

function describePromptFile({ path, requests, sha256 = '' }: PromptFile): string {
  return `${basename(path)}, ${requests} ${requests === 1 ? 'request' : 'requests'}, sha256:${sha256.slice(0, 16)}`
}

/** Describes a segment. Adds the clock of the target if the segment has a result with this clock. */
export function describeSegment(
  { index, count }: RunSegment,
  result: Pick<ExtensionResult, 'targetClock'> | undefined,
): LoadSegment {
  return { index, count, ...(result?.targetClock === undefined ? {} : { targetClock: result.targetClock }) }
}

function goodputOf({ requests, durationMs }: Measurements): number {
  const good = listEntries(requests.byOperation).reduce((sum, [, operation]) => sum + operation.good, 0)
  return durationMs <= 0 ? 0 : roundMs((good * 1000) / durationMs)
}
