import { formatWithUnit, nameBudget } from '../common/format-budget.ts'
import { formatPlural } from '../common/format-count.ts'
import { describeStepOutcome } from '../reports/search-steps.ts'
import type { StatusLine } from '../reports/status-line.ts'
import {
  type BudgetProgress,
  countProgressCredits,
  evaluateProgress,
  getRemainingWork,
  formatBudget,
  type K6BuildProgress,
  type LoadPhase,
  type LoadPlan,
  type ProgressResult,
  type SearchEvent,
} from '../load/run-load.ts'

const PHASE_DESCRIPTIONS: Readonly<Record<LoadPhase['name'], string>> = {
  building: 'building k6',
  'testing-model': 'testing the model with one request',
  waiting: 'waiting until the target has served the requests of the last run',
  calibrating: 'measuring the error of the load generator',
  running: 'running',
  comparing: "comparing with the emulator's record",
}

/** What a build of k6 costs on a machine without Go's caches. load/README.md has the measurement. */
const BUILD_COSTS =
  'This machine has no k6 with the extension yet, so touchstone builds it once. With empty Go caches, this takes about three minutes on two cores, downloads 100 MB of modules, compiles 800 packages, and needs 1 GB of disk space.'

/** Interval between progress lines if the output is not a terminal. */
const LINE_INTERVAL_S = 10
/** The interval after the first minute of a k6 build, which takes many minutes on a busy machine. */
const LONG_BUILD_INTERVAL_S = 60
const MAX_BUDGETS = 8

export interface LoadDisplay {
  onPhase(phase: LoadPhase): void
  onProgress(progress: ProgressResult): void
  onSearch(event: SearchEvent): void
}

/**
 * Creates the display. A terminal shows the current metrics. Any other output gets a line every ten seconds during the
 * run. While k6 is built, it gets a line every ten seconds, and after the first minute a line every minute.
 */
export function createLoadDisplay(status: StatusLine, first: LoadPlan): LoadDisplay {
  let lastPrintedS = 0
  let isBuildAnnounced = false
  let plan = first
  let running = PHASE_DESCRIPTIONS.running
  const isDue = (elapsedS: number, intervalS = LINE_INTERVAL_S): boolean => {
    const atS = intervalS * Math.floor(elapsedS / intervalS)
    const isLater = atS > lastPrintedS
    lastPrintedS = Math.max(atS, lastPrintedS)
    return isLater
  }
  return {
    onPhase({ name, progress, build }) {
      const elapsedS = build?.elapsedS ?? 0
      const far = progress ?? (build === undefined || elapsedS === 0 ? '' : formatBuild(build))
      if (build !== undefined && !isBuildAnnounced) status.print(BUILD_COSTS)
      isBuildAnnounced ||= build !== undefined
      status.show(name === 'running' ? running : PHASE_DESCRIPTIONS[name], far === '' ? '' : ` · ${far}`)
      const intervalS = elapsedS < LONG_BUILD_INTERVAL_S ? LINE_INTERVAL_S : LONG_BUILD_INTERVAL_S
      if (name === 'building' && isDue(elapsedS, intervalS)) status.confirmRunning(`still building k6: ${far}`)
      if (name === 'running') lastPrintedS = 0
    },
    onProgress(progress) {
      status.show(running, ` · ${formatTime(plan, progress)}`, formatFigures(plan, progress))
      if (isDue(progress.atS)) status.confirmRunning(formatLoadProgress(plan, progress))
    },
    onSearch(event) {
      plan = event.plan
      running = `searching, ${formatPlural(event.level, event.unit)}`
      if (event.result !== undefined) status.print(formatStep(event, event.result))
    },
  }
}

function formatBuild({ elapsedS, downloadedModules, compiledPackages }: K6BuildProgress): string {
  return `${elapsedS} s · ${downloadedModules} modules downloaded · ${compiledPackages} packages compiled`
}

function formatStep(event: SearchEvent, { outcome, budgets }: NonNullable<SearchEvent['result']>): string {
  const words =
    outcome === 'generator'
      ? 'the load generator was too slow or too inaccurate'
      : describeStepOutcome(outcome, budgets)
  const measured = budgets.map((budget) => {
    const { actual, unit } = budget
    const value = actual === null ? 'not measured' : formatWithUnit(Number(actual.toPrecision(3)), unit)
    return `${nameBudget(budget)} ${value}`
  })
  return [`${formatPlural(event.level, event.unit)}: ${words}`, ...measured].join(' · ')
}

function formatLoadProgress(plan: LoadPlan, progress: ProgressResult): string {
  return [formatTime(plan, progress), ...formatCounts(plan, progress), ...formatTtft(progress)].join(' · ')
}

function formatTime(plan: LoadPlan, { atS, sent }: ProgressResult): string {
  if (sent === 0 && plan.settings.warmUpS !== undefined) return 'warming up'
  const left = getRemainingWork(plan, atS, sent)
  if (left === undefined) return `${atS} s`
  return `${atS} s · ${'seconds' in left ? `${left.seconds} s` : `${left.requests} requests`} left`
}

function formatCounts({ options }: LoadPlan, progress: ProgressResult): string[] {
  const { sent, failed, inFlight, ratePerS } = progress
  const credits = options.credits ? countProgressCredits(progress) : null
  return [
    `${sent} sent`,
    `${ratePerS}/s`,
    `${inFlight} in flight`,
    `${failed} failed`,
    ...(credits === null ? [] : [`${credits} credits`]),
  ]
}

function formatTtft({ ttftP50Ms, ttftP99Ms }: ProgressResult): string[] {
  if (ttftP50Ms === null || ttftP99Ms === null) return []
  return [`ttft p50 ${Math.round(ttftP50Ms)} ms`, `p99 ${Math.round(ttftP99Ms)} ms`]
}

function formatFigures(plan: LoadPlan, progress: ProgressResult): string[] {
  const { budgets } = plan
  const states = evaluateProgress(budgets, progress)
  const lines = budgets.slice(0, MAX_BUDGETS).map((budget, at) => formatState(formatBudget(budget), states[at]))
  const hidden = budgets.length - lines.length
  return [
    formatCounts(plan, progress).join(' · '),
    formatTtft(progress).join(' · '),
    ...lines,
    ...(hidden > 0 ? [`and ${hidden} more budgets`] : []),
  ].flatMap((line) => (line === '' ? [] : [`  ${line}`]))
}

function formatState(budget: string, state: BudgetProgress | undefined): string {
  const { isKept, missing = 0, abovePercent } = state ?? {}
  const word = isKept === undefined ? 'open' : isKept ? 'within' : 'broken'
  return [
    `${word.padEnd('within'.length)}  ${budget}`,
    ...(abovePercent === undefined ? [] : [`${Number(abovePercent.toFixed(1))} % above`]),
    ...(missing === 0 ? [] : [`${missing} samples missing`]),
  ].join(' · ')
}
