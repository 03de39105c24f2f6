import { OPERATIONS } from '../../contract/facts.ts'
import { judgeBudgets } from '../latency/evaluate-budgets.ts'
import { takeSamples } from './measure-latency.ts'
import type { BudgetEntry, CheckEntry, LatencyEntry, Spent } from '../../reports/conformance-document.ts'
import { discoverModels } from './discover-models.ts'
import { entryWithout, judge, judgeBeside } from './run-check.ts'
import { LatencySamples } from '../latency/latency-samples.ts'
import { operationsNeeded } from './check-needs.ts'
import { type Plan, planRun, type PlannedCheck } from './plan.ts'
import { type Preflight, preflight } from './preflight.ts'
import { creditsOf } from './prices.ts'
import { createSession, type Session } from './session.ts'
import type { RunSettings, Suite } from './settings.ts'

/** A run whose target has been looked at: a front now judges the planned checks in whatever order it likes. */
export interface OpenRun {
  readonly plan: Plan
  /** Never throws. */
  judge(planned: PlannedCheck): Promise<CheckEntry>
  /** Resolves when others may run beside the check. Never throws. */
  begin(planned: PlannedCheck): Promise<Begun>
  /** Measures what has a budget, and tells what the run as a whole found; asked for once, after the last check. */
  finish(): Promise<RunFacts>
}

/** A check that others run beside. */
export interface Begun {
  /** Nothing where the check has to run alone after all. */
  readonly entry: Promise<CheckEntry | undefined>
}

/** For a check that is left for later, to run alone. */
export const NOT_BEGUN: Begun = { entry: Promise.resolve(undefined) }

/** Findings of a run that belong to no check. Plain data: it crosses threads. */
export interface RunFacts {
  readonly spent: Spent
  readonly latency: readonly LatencyEntry[]
  readonly budgets: readonly BudgetEntry[]
  /** Model by operation, as far as one was found. */
  readonly models: Readonly<Record<string, string>>
  /** Why no check could say anything about the target. */
  readonly problem?: string
  /** A question that the answers raise, where they look like those of another service than the one meant. */
  readonly doubt?: string
}

/** Plans a run, sees whether the target answers and accepts the key, and finds a model for each operation. */
export async function openRun(settings: RunSettings, suite: Suite, signal: AbortSignal): Promise<OpenRun> {
  const { only, skip, sdk, target } = settings
  const { declarations, limitedBurst, answers } = target
  const plan = planRun(suite, { only, skip, sdk, declarations, limitedBurst, answers })
  const session = createSession(settings, signal)
  const looked = await preflight(session)
  const { listed, problem } = looked
  if (problem === undefined && target.keys.funded !== undefined) {
    const needs = plan.planned.flatMap(({ check }) => check.needs)
    // Also for checks that can do without a model, and are better made with one that serves the operation.
    const budgeted = settings.budgets.map(({ operation }) => (operation === 'chat-stream' ? 'chat' : operation))
    const wanted = new Set([
      ...operationsNeeded(needs),
      ...plan.planned.map(({ check }) => check.operation),
      ...budgeted,
    ])
    await discoverModels(session, wanted, listed)
  }
  return {
    plan,
    judge: (planned) =>
      problem === undefined ? judge(session, planned) : Promise.resolve(entryWithout(planned, 'not-testable', problem)),
    begin: (planned) => (problem === undefined ? begin(session, planned) : Promise.resolve(NOT_BEGUN)),
    finish: async () => factsOf(session, looked, await measure(session, problem)),
  }
}

async function begin(session: Session, planned: PlannedCheck): Promise<Begun> {
  const waits = Promise.withResolvers<void>()
  const entry = judgeBeside(session, planned, waits.resolve)
  await Promise.race([waits.promise, entry])
  return { entry }
}

function measure(session: Session, problem: string | undefined): Promise<LatencySamples> {
  const { budgets, samples } = session.settings
  return problem === undefined ? takeSamples(session, budgets, samples) : Promise.resolve(new LatencySamples())
}

function factsOf(session: Session, { problem, doubt }: Preflight, measured: LatencySamples): RunFacts {
  const { budget, knownUnits } = session
  const budgets = judgeBudgets(session.settings.budgets, measured)
  // In the order of the document: they are found in any order.
  const order = Object.keys(OPERATIONS)
  const models = [...session.models]
    .filter(([operation]) => operation !== 'models')
    .toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  return {
    spent: {
      requests: budget.requests,
      creditsUpperBound: creditsOf(budget.units),
      creditsKnown: knownUnits === undefined ? null : creditsOf(knownUnits),
    },
    latency: withBudgets(session.latency.entries(), measured.entries(), budgets),
    budgets,
    models: Object.fromEntries(models),
    ...(problem === undefined ? {} : { problem }),
    ...(doubt === undefined ? {} : { doubt }),
  }
}

/** What was measured for a budget takes the place of what the checks saw by the way, for the whole operation. */
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
