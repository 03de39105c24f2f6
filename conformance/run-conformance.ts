import { findSections } from '../contract/sections.ts'
import { randomUUID } from 'node:crypto'
import type { ConformanceDocument } from '../reports/conformance-document.ts'
import { parseBudget } from './latency/budget.ts'
import { findReportingCheck } from './sections/shared/reporting-checks.ts'
import { CHECKS } from './sections/checks.ts'
import { buildDocument, type RunRecord } from './engine/build-document.ts'
import { collectRemainingGarbage } from './http/garbage.ts'
import { forgetParsedBodies } from './http/parsed-body.ts'
import { type CostEstimate, estimateCost } from './engine/cost-estimate.ts'
import type { Outcome } from './findings/outcome.ts'
import type { CheckResult } from './engine/run-check.ts'
import { type KnownLimit, type RunFindings, runEngine } from './engine/run-engine.ts'
import { getAbortReason, RunEndedError, TimeLimit } from './traffic/time-limit.ts'
import { GATEWAY_SUITE, isGatewaySelector, sortPlan } from './sections/gateway/gateway-suite.ts'
import { runWithUpstream } from './sections/gateway/run-with-upstream.ts'
import { type Plan, planRun } from './engine/plan.ts'
import type { ExchangeObserver } from './traffic/request-scope.ts'
import type { RunSettings, Suite } from './engine/settings.ts'
import {
  type CheckWithReason,
  formatLibraryOption,
  type OptionNameFormatter,
  type TableOptions,
  type TargetKeys,
} from './options/table-options.ts'
import { getExitCode } from './engine/verdict.ts'
import { REQUIREMENTS } from './sections/requirements.ts'
import { loadSdk } from './sections/1-service/load-sdk.ts'
import { type DeclaredModel, parseModelsOption } from './targets/declared-models.ts'
import { buildCatalog } from './engine/model-catalog.ts'
import {
  buildTargetFileDraft,
  findUnservedChecks,
  type SecretVariables,
  type TargetFileDraft,
} from './targets/draft-target-file.ts'
import { EMBEDDED_EMULATOR, REVOKED_KEY } from './targets/embedded-emulator.ts'
import { validateInFile, parseTargetFile } from './targets/parse-target-file.ts'
import {
  completeWithoutAuthentication,
  readAddress,
  resolveTarget,
  type TargetOptions,
} from './targets/resolve-target.ts'
import { OPTION_TABLE } from './options/option-table.ts'
import type { Target } from './targets/target.ts'
import { InvalidOptionError } from './options/invalid-option-error.ts'

/** A target that the run starts and stops. */
export interface EmbeddedTarget {
  readonly url: string
  readonly keys: Required<TargetKeys>
  close(): Promise<void>
}

/** Progress of a run, reported after each check. */
export interface RunProgress {
  readonly done: number
  readonly total: number
  readonly limit?: KnownLimit | undefined
}

/** Options of a run. The option table contains their defaults. */
export interface ConformanceOptions extends TableOptions, TargetOptions {
  /** Starts the embedded target. Called only if `url` is absent. */
  readonly startEmbedded?: () => Promise<EmbeddedTarget>
  readonly keys?: TargetKeys
  /** Checks that may fail, and in strict runs differences that may occur: see `AcceptedChecks`. */
  readonly knownFailures?: readonly CheckWithReason[]
  /** Checks that may be not testable, by check ID, requirement ID or section. They do not make the run incomplete. */
  readonly acceptedNotTestable?: readonly CheckWithReason[]
  /** Seed of the nonces, and so of all requests. Default: fixed for the embedded emulator, otherwise random. */
  readonly nonceSeed?: string
  /** Formats the name of an option for texts of the document. Default: the name in this interface. */
  readonly nameOption?: OptionNameFormatter
  readonly toolVersion?: string
  /** Aborts the run, so that it is incomplete. For a reason other than an `AbortError`, the open checks are errors. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: RunProgress) => void
  /** Receives each exchange, unmasked. A shared response is passed once for each check that uses it. */
  readonly onExchange?: ExchangeObserver
  /** Requirements and checks to use instead of the built-in suite. */
  readonly suite?: Suite
}

/** Result of a run: its document, and the exit code that follows from its verdict. */
export interface ConformanceResult {
  readonly document: ConformanceDocument
  readonly exitCode: 0 | 1 | 3 | 4
}

export type { CostEstimate, DeclaredModel, SecretVariables, TargetFileDraft }
export { listDeclaredDifferences } from './differences/declared-differences.ts'
export { findProxy } from './http/find-proxy.ts'
export {
  buildTargetFileDraft,
  EMBEDDED_EMULATOR,
  REVOKED_KEY,
  findUnservedChecks,
  InvalidOptionError,
  OPTION_TABLE,
  parseTargetFile,
  validateInFile,
}

const BUILT_IN_SUITE: Suite = { requirements: REQUIREMENTS, checks: CHECKS, findReportingCheck }

/** Both suites of a run with an upstream, to plan it. */
const WITH_GATEWAY_SUITE: Suite = {
  requirements: [...REQUIREMENTS, ...GATEWAY_SUITE.requirements],
  checks: [...CHECKS, ...GATEWAY_SUITE.checks],
}

function completeOptions(given: ConformanceOptions): ConformanceOptions {
  const options = completeWithoutAuthentication(given)
  return options.upstream === undefined ? options : { ...options, upstream: readAddress(options.upstream, 'upstream') }
}

/** Tests a target, whose problems appear in the document. Throws an InvalidOptionError for an invalid option. */
export async function runConformance(given: ConformanceOptions): Promise<ConformanceResult> {
  const options = completeOptions(given)
  if (options.upstream !== undefined && options.suite === undefined)
    return runWithUpstream(options, options.upstream, runSuite)
  return runSuite(options)
}

async function runSuite(options: ConformanceOptions): Promise<ConformanceResult> {
  const suite = options.suite ?? BUILT_IN_SUITE
  const ofGateway = suite === BUILT_IN_SUITE ? [...(options.only ?? []), ...(options.skip ?? [])] : []
  const value = ofGateway.find(isGatewaySelector)
  if (value !== undefined) throw new InvalidOptionError({ reason: 'missing-upstream', value })
  const plan = planOf(suite, options)
  // A selected check that lacks something else is missing from the run, which is then incomplete.
  const lacks = plan.notPlanned.some(({ code }) => code !== 'not-selected' && code !== 'skipped')
  if (plan.planned.length === 0 && !lacks) {
    const reasons = plan.notPlanned.filter(({ code }) => code !== 'not-selected').map(({ reason }) => reason)
    throw new InvalidOptionError({ reason: 'no-check-selected', excluded: [...new Set(reasons)] })
  }
  if (options.url === undefined && options.startEmbedded === undefined)
    throw new InvalidOptionError({ reason: 'missing-target' })
  if (options.sdk === true) await loadSdk('sdk')
  const embedded = options.url === undefined ? await options.startEmbedded?.() : undefined
  try {
    const settings = settingsOf(options, targetOf(options, embedded))
    return await runPlan({ options, suite, plan, settings })
  } finally {
    await embedded?.close()
  }
}

/** Returns the checks that a run would include, and its maximum requests and credits. Sends no request. */
export function planConformance(given: ConformanceOptions): { readonly plan: Plan; readonly estimate: CostEstimate } {
  const options = completeOptions(given)
  if (options.url !== undefined) targetOf(options, undefined)
  const { upstream, policies = {}, declares, only = [], samples } = options
  const isGateway = upstream !== undefined || Object.keys(policies).length > 0 || only.some(isGatewaySelector)
  const plan = planOf(options.suite ?? (isGateway ? WITH_GATEWAY_SUITE : BUILT_IN_SUITE), {
    ...options,
    declares: { ...declares, ...policies },
  })
  const budgets = (options.budgets ?? []).map(parseBudget)
  const { byOperation: models, own } = parseModelsOption(options.models)
  return { plan, estimate: estimateCost(plan, { budgets, models, catalog: buildCatalog(own), samples }) }
}

interface Run {
  readonly options: ConformanceOptions
  readonly suite: Suite
  readonly plan: Plan
  readonly settings: RunSettings
}

async function runPlan({ options, suite, plan, settings }: Run): Promise<ConformanceResult> {
  const startedAt = new Date()
  const start = performance.now()
  const limit = new TimeLimit(options.maxSeconds)
  // Ends checks that still run after an internal error.
  const failed = new AbortController()
  const signal = AbortSignal.any([
    ...(options.signal === undefined ? [] : [options.signal]),
    limit.signal,
    failed.signal,
  ])
  const results: CheckResult[] = []
  let known: KnownLimit | undefined
  let facts: RunFindings | undefined
  let failure: unknown = new Error('the run ended without a result for this check')
  try {
    facts = await runEngine(plan, settings, {
      signal,
      onResult(result) {
        results.push(result)
        options.onProgress?.({ done: results.length, total: plan.planned.length, limit: known })
      },
      onLimit(now) {
        known = now
        limit.follow(now.remainingMs)
      },
    })
  } catch (error) {
    failure = error
    failed.abort(error)
  } finally {
    limit.end()
  }
  forgetParsedBodies()
  collectRemainingGarbage()
  const isFailed = signal.aborted && isInternalError(signal.reason)
  const aborted = signal.aborted && !isFailed ? getAbortReason(signal) : undefined
  const record = {
    toolVersion: options.toolVersion ?? '0.0.0',
    suite,
    settings,
    plan,
    // Checks that an internal error interrupted have the error as their result.
    results: isFailed ? results.filter(({ outcome }) => outcome.code !== 'run-interrupted') : results,
    facts: isFailed && facts !== undefined ? { ...facts, obstacle: undefined } : facts,
    startedAt,
    durationMs: performance.now() - start,
    isStrict: options.strict ?? false,
    abortReason: aborted,
    missing:
      aborted === undefined ? describeFailure(signal.reason ?? failure) : { verdict: 'not-testable', ...aborted },
  } satisfies RunRecord
  const document = tryToBuildDocument(record)
  // The tester may accept checks that are not testable, but not an aborted run.
  const acceptsIncomplete = (options.acceptIncomplete ?? false) && !signal.aborted
  return { document, exitCode: getExitCode(document.verdict, document.summary, acceptsIncomplete) }
}

/** Returns whether a run ended because of an error of the suite or of its caller. */
function isInternalError(reason: unknown): boolean {
  return !(reason instanceof DOMException) && !(reason instanceof RunEndedError)
}

function describeFailure(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error)
  return { verdict: 'error', code: 'run-failed', params: { message } }
}

/** Builds the document of a run. If that fails, builds a document in which each check has the error as its result. */
function tryToBuildDocument(record: RunRecord): ConformanceDocument {
  try {
    return buildDocument(record)
  } catch (error) {
    return buildDocument({ ...record, results: [], facts: undefined, missing: describeFailure(error) })
  }
}

function choiceOf({ only, skip, sdk, agents, nameOption }: ConformanceOptions) {
  return {
    only: (only ?? []).flatMap(expandSelector),
    skip: (skip ?? []).flatMap(expandSelector),
    sdk: sdk ?? false,
    agents: agents ?? false,
    nameOption: nameOption ?? formatLibraryOption,
  }
}

/** Converts the name of a section or an operation to the numbers of its sections. Returns other selectors unchanged. */
function expandSelector(selector: string): readonly string[] {
  const sections = findSections(selector)
  return sections.length === 0 ? [selector] : sections
}

function planOf(suite: Suite, options: ConformanceOptions): Plan {
  const { declarations = {}, limitedBurst, declares = {}, acceptedNotTestable = [], without = [] } = options
  const plan = planRun(suite, {
    ...choiceOf(options),
    declarations: { ...declarations, ...(options.keys?.revoked === undefined ? {} : { 'keys.revoked': true }) },
    limitedBurst,
    declared: declares,
    accepted: acceptedNotTestable.map(({ id }) => id),
    catalog: buildCatalog(parseModelsOption(options.models).own),
    without,
  })
  return suite === GATEWAY_SUITE ? sortPlan(plan) : plan
}

function exceptionsOf({ knownFailures = [], acceptedNotTestable = [] }: ConformanceOptions) {
  const duplicate = knownFailures.find(({ id }, index) => knownFailures.findIndex((other) => other.id === id) !== index)
  if (duplicate !== undefined) throw new InvalidOptionError({ reason: 'duplicate-known-failure', id: duplicate.id })
  return { knownFailures, acceptedNotTestable }
}

function targetOf(options: ConformanceOptions, embedded: EmbeddedTarget | undefined): Target {
  return resolveTarget({
    ...options,
    url: embedded?.url ?? options.url ?? '',
    keys: embedded?.keys ?? options.keys ?? {},
    embedded: embedded !== undefined,
  })
}

function settingsOf(options: ConformanceOptions, target: Target): RunSettings {
  const { maxRequests, maxCredits, samples, onExchange, upstream: url, upstreamToken: token } = options
  return {
    target,
    ...choiceOf(options),
    ...exceptionsOf(options),
    failOnRepaired: options.failOnRepaired ?? false,
    budgets: (options.budgets ?? []).map(parseBudget),
    timeoutMs: options.timeoutMs ?? OPTION_TABLE.timeoutMs.default,
    concurrency: options.concurrency ?? OPTION_TABLE.concurrency.default,
    maxRequests,
    maxCredits,
    samples,
    upstream: url === undefined ? undefined : { url, token },
    onExchange,
    // The emulator is deterministic, so with a fixed seed all runs get the same responses.
    nonceSeed: options.nonceSeed ?? (target.embedded ? 'embedded' : randomUUID()),
  }
}
