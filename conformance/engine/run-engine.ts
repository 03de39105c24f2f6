import { OPERATIONS, type Operation } from '../../contract/facts.ts'
import type { BudgetEntry, LatencyEntry, OwnModels, SpentTotals } from '../../reports/conformance-document.ts'
import { countRequiredSamples, evaluateBudgets, type LatencyBudget } from '../latency/budget.ts'
import { LatencySamples, TIMED_OPERATIONS } from '../latency/latency-samples.ts'
import { buildSmallRequest } from '../traffic/control-requests.ts'
import { isSummaryCheck } from './check.ts'
import { discoverModels } from './discover-models.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import type { RunRemark } from '../findings/run-remark.ts'
import type { Plan } from './plan.ts'
import { type PreflightResult, runPreflight } from './preflight.ts'
import { convertToCredits } from '../traffic/prices.ts'
import { type CheckResult, listOperationsRequiringModel, buildSkippedResult, runCheck } from './run-check.ts'
import { runScheduled } from './schedule.ts'
import { createScope, createSession, type Session } from './session.ts'
import type { RunSettings } from './settings.ts'
import { RunEndedError } from '../traffic/time-limit.ts'

/** Rate limit of the key, and the time in milliseconds in which it allows all requests that the run may still send. */
export interface KnownLimit {
  readonly requestsPerMinute: number
  readonly remainingMs: number
}

/** Results of a run besides those of its planned checks. */
export interface RunFindings {
  readonly spent: SpentTotals
  readonly latency: readonly LatencyEntry[]
  readonly budgets: readonly BudgetEntry[]
  /** Model that the run used for each operation, if any. */
  readonly models: Readonly<Record<string, string>>
  /** Models that the run tested instead of the specified models. */
  readonly ownModels?: OwnModels | undefined
  /** Number of listed models outside the table of section 2.1, if the run tested this table. */
  readonly additionalModels: number
  /** Reason why no check can test the target. */
  readonly obstacle?: RunObstacle | undefined
  /** Remark that the responses may come from a different service. */
  readonly hint?: RunRemark | undefined
  /** Failures and warnings of breakdown checks outside the selection. */
  readonly breakdowns?: readonly CheckResult[]
  /** Reason why the engine ended the run early. */
  readonly endedBy?: RunObstacle | undefined
  /** Whether the target rejected requests with 429 even at a low rate. */
  readonly wasRejectedAtAnyRate: boolean
}

export interface RunHooks {
  readonly signal: AbortSignal
  /** Receives each result as soon as its check has ended. */
  onResult(result: CheckResult): void
  /** Receives the rate limit of the key after each check, if it is known. */
  onLimit?(limit: KnownLimit): void
}

/**
 * Runs a plan, and passes the result of each planned check to `onResult`. First finds out whether the target responds
 * and accepts the key, and which model serves each operation. Then runs the checks, and measures the operations with a
 * latency budget.
 */
export async function runEngine(plan: Plan, settings: RunSettings, hooks: RunHooks): Promise<RunFindings> {
  const session = createSession(settings, hooks.signal)
  try {
    return await runSession(session, plan, hooks)
  } finally {
    await session.gateway?.control.close()
  }
}

async function runSession(session: Session, plan: Plan, { onResult, onLimit }: RunHooks): Promise<RunFindings> {
  const { settings } = session
  const found = await prepare(session, operationsOf(plan, settings))
  if (found.obstacle !== undefined) {
    const outcome = { verdict: 'not-testable' as const, ...found.obstacle }
    for (const planned of plan.planned)
      onResult(buildSkippedResult(planned, outcome, { mask: session.mask, nameOption: settings.nameOption }))
    return factsOf(session, found, new LatencySamples())
  }
  const { pace } = session.dispatcher
  let requestsLeft = plan.planned.reduce((sum, { check }) => sum + check.cost.requests, 0)
  pace.requestsLeft = () => requestsLeft
  await runScheduled(plan.planned, settings.concurrency, async (planned, alone) => {
    const result = await runCheck(session, planned, alone)
    requestsLeft -= planned.check.cost.requests
    const { requestsPerMinute } = pace
    if (requestsPerMinute !== undefined)
      onLimit?.({ requestsPerMinute, remainingMs: (requestsLeft / requestsPerMinute) * 60_000 })
    onResult(result)
  })
  const facts = factsOf(session, found, await measureLatency(session, settings.budgets, settings.samples))
  const watched = await Promise.all((plan.watched ?? []).map((one) => runCheck(session, one, (work) => work())))
  return { ...facts, breakdowns: watched.filter(({ entry: { verdict } }) => verdict === 'fail' || verdict === 'warn') }
}

async function prepare(session: Session, wanted: ReadonlySet<Operation>): Promise<Findings> {
  const unpriced = priceObstacle(session)
  if (unpriced !== undefined) return { obstacle: unpriced }
  const { listed, ...found } = await runPreflight(session)
  if (found.obstacle !== undefined || session.settings.target.keys.funded === undefined) return found
  const obstacle = (await discoverModels(session, wanted, listed)) ?? priceObstacle(session)
  // If the target serves another operation, the base URL is right.
  const isRefuted = found.hint?.code === 'other-service' && session.forms.size > 0
  const hint = session.modelRemark ?? (isRefuted ? undefined : found.hint)
  return { hint, obstacle }
}

type Findings = Pick<PreflightResult, 'obstacle' | 'hint'>

/** Returns an obstacle if the run has a spend limit but the price of a model is unknown. */
function priceObstacle({ settings: { maxCredits }, catalog }: Session): RunObstacle | undefined {
  const model = catalog.models.find(({ unitsPerToken }) => unitsPerToken === undefined)
  return maxCredits === undefined || model === undefined
    ? undefined
    : { code: 'model-price-unknown', params: { model: model.id } }
}

/** Lists the operations for which the run searches a model, also for checks that can run without one. */
function operationsOf({ planned }: Plan, { budgets }: RunSettings): ReadonlySet<Operation> {
  return new Set([
    ...listOperationsRequiringModel(planned.flatMap(({ check }) => check.needs)),
    ...planned.flatMap(({ check }) => (isSummaryCheck(check) ? [] : [check.operation])),
    ...budgets.map(({ operation }) => (operation === 'chat-stream' ? 'chat' : operation)),
  ])
}

function factsOf(session: Session, { obstacle, hint }: Findings, measured: LatencySamples): RunFindings {
  const { requests, rateLimited, units, reportedUnits } = session.dispatcher.spent
  const budgets = evaluateBudgets(session.settings.budgets, measured)
  const { origin, models: listed } = session.catalog
  const isPriced = listed.every(({ unitsPerToken }) => unitsPerToken !== undefined)
  // Sorts the models by operation to make documents comparable, because discovery finds them in any order.
  const order = Object.keys(OPERATIONS)
  const models = [...session.models]
    .filter(([operation]) => operation !== 'models')
    .toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  return {
    spent: {
      requests,
      rateLimited,
      creditsUpperBound: isPriced ? convertToCredits(units) : null,
      creditsKnown: reportedUnits === undefined || !isPriced ? null : convertToCredits(reportedUnits),
    },
    latency: withBudgets(session.dispatcher.latency.entries(), measured.entries(), budgets),
    budgets,
    models: Object.fromEntries(models),
    ownModels: origin === 'specification' ? undefined : { origin, ids: listed.map(({ id }) => id) },
    additionalModels: session.additionalModels,
    obstacle,
    hint,
    wasRejectedAtAnyRate: session.dispatcher.pace.rejectsAtAnyRate,
    endedBy: session.signal.reason instanceof RunEndedError ? session.signal.reason.obstacle : undefined,
  }
}

/** Joins the latencies of checks and of budgets, which take precedence, with the strictest limits. */
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

/**
 * Measures latency after all checks. For each operation with a budget, sends its small request repeatedly, one at a
 * time. Stops early if the run reaches a limit.
 * @param chosen number of requests for each operation. Default: the number that the budgets require
 */
async function measureLatency(
  session: Session,
  budgets: readonly LatencyBudget[],
  chosen: number | undefined,
): Promise<LatencySamples> {
  const samples = new LatencySamples()
  for (const timed of TIMED_OPERATIONS) {
    const operation = timed === 'chat-stream' ? 'chat' : timed
    if (session.settings.target.keys.funded === undefined || !session.models.has(operation)) continue
    for (let left = countRequiredSamples(budgets, timed, chosen); left > 0; left -= 1) {
      // Each request contains a different text, so that no response comes from a cache.
      using scope = createScope(session, { name: `sample ${timed} ${left}`, operation })
      samples.add(await session.dispatcher.dispatch(scope, buildSmallRequest(session, timed, scope.tag)))
      if ((scope.obstacle ?? scope.closedForm) !== undefined) break
    }
  }
  return samples
}
