import type { LoadDocument } from '../../reports/load-document.ts'
import { parseCredits } from '../../scenarios/lib/credits.ts'
import type { ProgressResult } from '../../scenarios/lib/extension-result.ts'
import { calculateMaxSpentUnits } from '../credits/bound-spent-units.ts'
import { formatUnits } from '../credits/units.ts'
import { measureLoad } from '../measure-load.ts'
import type { RunContext } from '../options/load-context.ts'
import type { LoadPlan, SearchPlan } from '../plan/load-plan.ts'
import type { OpenedTarget } from '../target/open-target.ts'
import { waitUntilQuiet } from '../target/wait-until-quiet.ts'
import { describeSearch, type Run, type RunEnd } from './describe-search.ts'
import { detectBroken } from './detect-broken.ts'
import { evaluateRuns } from './evaluate-runs.ts'
import { canMeasureOverload, describeOverload, planOverload } from './measure-overload.ts'
import { ASSUMED_RESPONSE_S, OVERHEAD_S, planRun, type SearchRun } from './plan-search.ts'
import { type Evaluation, type RunKind, searchLevels } from './search-levels.ts'

/** Time after which a run may end early, in seconds. Responses to the first requests may be unusually slow. */
const MIN_RUN_S = 3

/** Searches for the highest load at which the budgets of a plan hold. Each step consists of one or more load runs. */
export async function findCapacity(
  plan: LoadPlan & { readonly search: SearchPlan },
  context: RunContext,
  { k6, target }: { readonly k6: string; readonly target: OpenedTarget },
): Promise<LoadDocument> {
  const { search, budgets } = plan
  const { options, unit } = search
  const startedAtUnixMs = Date.now()
  const all: LoadDocument[] = []
  let isStopped = false

  /** Measures a plan unless the search has to end first. */
  const measure = async (
    planNext: (run: Pick<SearchRun, 'responseS' | 'count' | 'maxCredits'>) => Promise<LoadPlan>,
    { onStart, endsEarly }: { onStart(next: LoadPlan): void; endsEarly: boolean },
  ): Promise<{ document: LoadDocument; next: LoadPlan; endS: number } | { end: RunEnd }> => {
    // An emulator is idle: the comparison of the run has waited for it.
    if (isStopped && !target.entry.isEmulator) {
      context.onPhase?.({ name: 'waiting' })
      await waitUntilQuiet(plan, target, { ...context, responseMs: 1000 * findLongestResponseS(all) })
    }
    if (context.signal.aborted) return { end: 'interrupted' }
    const leftUnits = getRemainingUnits(options.maxCredits, all)
    const maxCredits = leftUnits === undefined ? undefined : formatUnits(leftUnits)
    const next = await planNext({ responseS: findResponseS(all), count: all.length, maxCredits })
    if (leftUnits !== undefined && (leftUnits === 0 || (next.estimate.units ?? 0) > leftUnits))
      return { end: 'spend-limit' }
    const plannedS = next.settings.stages.reduce((sum, { durationS }) => sum + durationS, 0)
    if ((Date.now() - startedAtUnixMs) / 1000 + plannedS + OVERHEAD_S > search.maxDurationS)
      return { end: 'max-duration' }
    onStart(next)
    const stop = new AbortController()
    let endS = plannedS
    const onProgress = (progress: ProgressResult): void => {
      context.onProgress?.(progress)
      if (!endsEarly || stop.signal.aborted || progress.atS < MIN_RUN_S || !detectBroken(budgets, progress)) return
      endS = progress.atS
      stop.abort()
    }
    const signal = AbortSignal.any([context.signal, stop.signal])
    const document = await measureLoad(next, { ...context, signal, onProgress }, { k6, target })
    isStopped = stop.signal.aborted
    all.push(document)
    if (context.signal.aborted) return { end: 'interrupted' }
    if (document.verdict === 'harness-error') return { end: 'run-failed' }
    return { document, next, endS }
  }

  const run = async (level: number, kind: RunKind): Promise<(Evaluation & { run: Run }) | { end: RunEnd }> => {
    const measured = await measure((settings) => planRun(options, { level, kind, ...settings }), {
      onStart: (next) => context.onSearch?.({ level, unit, plan: next }),
      endsEarly: true,
    })
    if ('end' in measured) return measured
    if (all.every(({ requests }) => requests.ok === 0)) return { end: 'no-success' }
    const { document, next, endS } = measured
    const { outcome, isWithin, budgets: entries } = evaluateRuns([document], budgets)
    context.onSearch?.({ level, unit, plan: next, result: { outcome, budgets: entries } })
    return { outcome, isWithin, run: { document, endS } }
  }

  const result = await searchLevels(search, run)
  const { from } = result.bounds
  let overload = null
  if (from !== undefined && canMeasureOverload(result.end, result.bounds, search.maxLevel)) {
    const measured = await measure((settings) => planOverload(options, from, settings), {
      onStart: (next) => context.onSearch?.({ level: 2 * from, unit, plan: next }),
      endsEarly: false,
    })
    if ('document' in measured) overload = describeOverload(measured.document, from, { plan: measured.next, budgets })
  }
  return describeSearch(plan, context, { result, all, overload, target, startedAtUnixMs })
}

/** Returns the lowest median duration of the responses of a run, in seconds. */
function findResponseS(all: readonly LoadDocument[]): number {
  const mediansMs = all.flatMap(({ metrics }) => {
    const figures = Object.values(metrics).flatMap(({ e2eMs }) => e2eMs ?? [])
    return figures.length === 0 ? [] : [Math.max(...figures.map(({ p50 }) => p50))]
  })
  return mediansMs.length === 0 ? ASSUMED_RESPONSE_S : Math.max(0, Math.min(...mediansMs)) / 1000
}

/** Maximum time to wait for the last responses of an aborted run. */
const MAX_LAST_RESPONSE_S = 30

/** Returns the longest response of the run in which it was shortest, in seconds. In other runs, responses may have waited. */
function findLongestResponseS(all: readonly LoadDocument[]): number {
  const longestMs = all.flatMap(({ metrics }) => {
    const figures = Object.values(metrics).flatMap(({ e2eMs }) => e2eMs ?? [])
    return figures.length === 0 ? [] : [Math.max(...figures.map(({ max }) => max))]
  })
  return longestMs.length === 0 ? ASSUMED_RESPONSE_S : Math.min(MAX_LAST_RESPONSE_S, Math.min(...longestMs) / 1000)
}

/** Returns the remaining spend limit in units, or undefined if there is no limit. */
function getRemainingUnits(maxCredits: string | undefined, all: readonly LoadDocument[]): number | undefined {
  const maxUnits = parseCredits(maxCredits ?? '')
  if (maxUnits === undefined) return undefined
  const spent = all.map(({ credits, requests }) => {
    const ledgerUnits = parseCredits(credits.ledger ?? '')
    if (ledgerUnits !== undefined) return ledgerUnits
    return calculateMaxSpentUnits({
      countedUnits: parseCredits(credits.counted ?? '') ?? 0,
      maxUnits: parseCredits(credits.estimate ?? '') ?? 0,
      promptTokens: Object.values(credits.tokens).reduce((sum, { prompt }) => sum + prompt, 0),
      sent: requests.sent,
      failed: requests.failed + requests.aborted,
    })
  })
  return Math.max(0, maxUnits - spent.reduce((sum, units) => sum + units, 0))
}
