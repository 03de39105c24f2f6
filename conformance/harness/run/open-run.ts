import type { CheckEntry, LatencyEntry, Spent } from '../../../reports/conformance-document.ts'
import { discoverModels } from './discover-models.ts'
import { entryWithout, judge } from './judge.ts'
import { operationsNeeded } from './missing-need.ts'
import { type Plan, planRun, type PlannedCheck } from './plan.ts'
import { preflight } from './preflight.ts'
import { creditsOf } from './prices.ts'
import { createSession, type Session } from './session.ts'
import type { RunSettings, Suite } from './settings.ts'

/** A run whose target has been looked at: a front now judges the planned checks in whatever order it likes. */
export interface OpenRun {
  readonly plan: Plan
  /** Never throws. */
  judge(planned: PlannedCheck): Promise<CheckEntry>
  /** What the run as a whole found; asked for after the last check. */
  facts(): RunFacts
}

/** Findings of a run that belong to no check. Plain data: it crosses threads. */
export interface RunFacts {
  readonly spent: Spent
  readonly latency: readonly LatencyEntry[]
  /** Model by operation, as far as one was found. */
  readonly models: Readonly<Record<string, string>>
  /** Why no check could say anything about the target. */
  readonly problem?: string
}

/** Plans a run, sees whether the target answers and accepts the key, and finds a model for each operation. */
export async function openRun(settings: RunSettings, suite: Suite, signal: AbortSignal): Promise<OpenRun> {
  const plan = planRun(suite, settings)
  const session = createSession(settings, signal)
  const { listed, problem } = await preflight(session)
  if (problem === undefined && settings.target.keys.funded !== undefined) {
    const needs = plan.planned.flatMap(({ check }) => check.needs)
    // Also for checks that can do without a model, and are better made with one that serves the operation.
    const wanted = new Set([...operationsNeeded(needs), ...plan.planned.map(({ check }) => check.operation)])
    await discoverModels(session, wanted, listed)
  }
  return {
    plan,
    judge: (planned) =>
      problem === undefined ? judge(session, planned) : Promise.resolve(entryWithout(planned, 'not-testable', problem)),
    facts: () => factsOf(session, problem),
  }
}

function factsOf(session: Session, problem: string | undefined): RunFacts {
  const { budget, knownUnits } = session
  const models = [...session.models].filter(([operation]) => operation !== 'models')
  return {
    spent: {
      requests: budget.requests,
      creditsUpperBound: creditsOf(budget.units),
      creditsKnown: knownUnits === undefined ? null : creditsOf(knownUnits),
    },
    latency: session.latency.entries(),
    models: Object.fromEntries(models),
    ...(problem === undefined ? {} : { problem }),
  }
}
