import { OPERATIONS, type Operation } from '../../contract/facts.ts'
import type { BudgetEntry, CheckEntry, LatencyEntry, Spent } from '../../reports/conformance-document.ts'
import { evaluateBudgets } from '../latency/budget.ts'
import { LatencySamples } from '../latency/latency-samples.ts'
import { discoverModels } from './discover-models.ts'
import { measureLatency } from './measure-latency.ts'
import { describeRunObstacle } from '../outcomes/run-obstacle.ts'
import type { Plan } from './plan.ts'
import { type Preflight, preflight } from './preflight.ts'
import { creditsOf } from './prices.ts'
import { entryWithout, operationsNeeded, runCheck } from './run-check.ts'
import { runScheduled } from './schedule.ts'
import { createSession, type Session } from './session.ts'
import type { RunSettings } from './settings.ts'

/** Findings of a run that belong to no check. */
export interface RunFacts {
  readonly spent: Spent
  readonly latency: readonly LatencyEntry[]
  readonly budgets: readonly BudgetEntry[]
  /** Model by operation, as far as one was found. */
  readonly models: Readonly<Record<string, string>>
  /** Why no check could say anything about the target. */
  readonly problem?: string
  /** A question to the tester: the responses look like those of another service. */
  readonly doubt?: string
}

/** How a run is followed and ended. */
export interface RunHooks {
  /** Ends the run early. */
  readonly signal: AbortSignal
  /** Called with each entry as soon as its check ends. */
  onEntry(entry: CheckEntry): void
}

/**
 * Runs a plan: tests whether the target responds and accepts the key, finds a model for each operation, runs the checks,
 * and measures what has a latency budget. Every planned check gets one entry.
 */
export async function runEngine(plan: Plan, settings: RunSettings, { signal, onEntry }: RunHooks): Promise<RunFacts> {
  const session = createSession(settings, signal)
  const found = await preflight(session)
  if (found.obstacle !== undefined) {
    const outcome = { verdict: 'not-testable' as const, ...found.obstacle }
    for (const planned of plan.planned) onEntry(entryWithout(planned, outcome, session.mask))
    return factsOf(session, found, new LatencySamples())
  }
  if (settings.target.keys.funded !== undefined) {
    await discoverModels(session, operationsOf(plan, settings), found.listed)
  }
  await runScheduled(plan.planned, settings.concurrency, async (planned, alone) =>
    onEntry(await runCheck(session, planned, alone)),
  )
  return factsOf(session, found, await measureLatency(session, settings.budgets, settings.samples))
}

/** The operations to find a model for: also those of checks that can do without one, and are better made with it. */
function operationsOf({ planned }: Plan, { budgets }: RunSettings): ReadonlySet<Operation> {
  return new Set([
    ...operationsNeeded(planned.flatMap(({ check }) => check.needs)),
    ...planned.map(({ check }) => check.operation),
    ...budgets.map(({ operation }) => (operation === 'chat-stream' ? 'chat' : operation)),
  ])
}

function factsOf(session: Session, { obstacle, doubt }: Preflight, measured: LatencySamples): RunFacts {
  const { requests, units, reportedUnits } = session.dispatcher.spent
  const budgets = evaluateBudgets(session.settings.budgets, measured)
  // In the order of the document: they are found in any order.
  const order = Object.keys(OPERATIONS)
  const models = [...session.models]
    .filter(([operation]) => operation !== 'models')
    .toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  return {
    spent: {
      requests,
      creditsUpperBound: creditsOf(units),
      creditsKnown: reportedUnits === undefined ? null : creditsOf(reportedUnits),
    },
    latency: withBudgets(session.dispatcher.latency.entries(), measured.entries(), budgets),
    budgets,
    models: Object.fromEntries(models),
    ...(obstacle === undefined ? {} : { problem: describeRunObstacle(obstacle) }),
    ...(doubt === undefined ? {} : { doubt }),
  }
}

/** What was measured for a budget replaces the samples of the checks, for the whole operation. */
function withBudgets(
  seen: readonly LatencyEntry[],
  measured: readonly LatencyEntry[],
  budgets: readonly BudgetEntry[],
): LatencyEntry[] {
  const operations = new Set(measured.map(({ operation }) => operation))
  return [...seen.filter(({ operation }) => !operations.has(operation)), ...measured].map((entry) => {
    const limits = budgets.filter(({ metric }) => metric === `${entry.operation}.${entry.figure}`)
    return limits.length === 0 ? entry : { ...entry, budget: Math.min(...limits.map(({ limit }) => limit)) }
  })
}
