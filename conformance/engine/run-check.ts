import { type Operation, OPERATION_NAMES } from '../../contract/facts.ts'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import { roundMs } from '../evidence/describe-exchange.ts'
import { ExchangeRecorder } from '../evidence/exchange-recorder.ts'
import { hasTesterSideError } from '../http/breakdown.ts'
import { hasServerError } from '../http/stream-error.ts'
import { buildDocumentFields, type TextOptions } from '../findings/document-fields.ts'
import type { Outcome } from '../findings/outcome.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import {
  describeValue,
  getObservedValue,
  matchesDeclaredValue,
  type ObservedValue,
} from '../findings/observed-value.ts'
import { KEY_NAMES } from '../options/table-options.ts'
import {
  type AnyCheck,
  type Check,
  type CheckContext,
  isSummaryCheck,
  type PlannedCheck,
  type Prerequisite,
  type SummaryCheck,
} from './check.ts'
import { createContext } from './check-context.ts'
import { buildRerunCommand } from '../upstream/rerun-command.ts'
import type { RequestScope } from '../traffic/request-scope.ts'
import { describeAcceptance } from '../differences/declared-differences.ts'
import { judgeByDifferences } from '../differences/judge-by-differences.ts'
import { type LoggedExchange, type RunLog, sortByRequest } from '../traffic/run-log.ts'
import type { RunAlone } from './schedule.ts'
import { createScope, type Session } from './session.ts'
import { getAbortReason } from '../traffic/time-limit.ts'

export interface CheckResult {
  readonly entry: CheckEntry
  readonly outcome: Outcome
}

interface Decided {
  readonly outcome: Outcome
  readonly recorder: ExchangeRecorder
  /** Whether the report shows a command that repeats the request. */
  readonly hasCommand: boolean
}

/** Runs one check. Never rejects: if the check or the description of its outcome throws, its verdict is `error`. */
export async function runCheck(session: Session, planned: PlannedCheck, alone: RunAlone): Promise<CheckResult> {
  try {
    return await runAndDescribe(session, planned, alone)
  } catch (error) {
    const { nameOption } = session.settings
    return buildSkippedResult(planned, crashed(error), { mask: session.mask, nameOption })
  }
}

async function runAndDescribe(session: Session, planned: PlannedCheck, alone: RunAlone): Promise<CheckResult> {
  const { check, requirement } = planned
  const { mask } = session
  const { nameOption } = session.settings
  const startedAtMs = session.nowMs()
  const isUnspecified = requirement.level === 'unspecified'
  const isSeparate = check.group === 'agents'
  using scope = createScope(session, {
    name: check.id,
    operation: check.operation,
    isUnspecified,
    isSeparate,
    parameter: check.parameter,
  })
  const { outcome, recorder, hasCommand }: Decided = isSummaryCheck(check)
    ? await provokeAndSummarize(session, check, scope, alone)
    : {
        outcome: await decideOutcome(session, { ...planned, check }, scope, alone),
        recorder: scope.recorder,
        hasCommand: true,
      }
  const evidence = recorder.evidence(mask, session.evidenceSize)
  const repeat = (): string | undefined =>
    session.gateway === undefined
      ? recorder.reproduce(mask, { ...parallelOf(outcome), ...outcome })
      : buildRerunCommand(session.settings.target, session.gateway.control.url, check.id, mask)
  const reproduce = hasCommand ? repeat() : undefined
  const entry: CheckEntry = {
    ...identityOf(planned),
    ...buildDocumentFields(outcome, check.operation, { mask, nameOption }),
    ...acceptedOf(outcome),
    durationMs: roundMs(session.nowMs() - startedAtMs),
    ...(evidence.length === 0 ? {} : { evidence }),
    ...(reproduce === undefined ? {} : { reproduce }),
  }
  return { entry, outcome: keepExchange(outcome, session) }
}

/** A check that a declared difference makes not testable does not make the run incomplete. */
function acceptedOf({ verdict, differences }: Outcome): Pick<CheckEntry, 'accepted'> {
  return verdict === 'not-testable' && differences !== undefined ? { accepted: describeAcceptance(differences) } : {}
}

/** Returns the number of parallel requests of a finding that concerns one of them. */
function parallelOf({ difference }: Outcome): Pick<Outcome, 'parallel'> {
  return difference !== undefined && 'parallel' in difference ? { parallel: difference.parallel } : {}
}

/** Replaces the exchange of an outcome with what the run keeps of it. */
function keepExchange(
  { sequence: _sequence, pauseS: _pauseS, judged: _judged, exchange, ...outcome }: Outcome,
  { dispatcher }: Session,
): Outcome {
  return exchange === undefined ? outcome : { ...outcome, exchange: dispatcher.kept.get(exchange) }
}

export function buildSkippedResult(planned: PlannedCheck, outcome: Outcome, options: TextOptions): CheckResult {
  const fields = buildDocumentFields(outcome, planned.check.operation, options)
  return { entry: { ...identityOf(planned), ...fields, durationMs: 0 }, outcome }
}

function identityOf({ check, requirement, declared }: PlannedCheck) {
  return {
    id: check.id,
    requirement: requirement.id,
    section: requirement.section,
    level: requirement.level,
    title: check.title,
    ...(declared === undefined ? {} : { declared: describeValue(declared) }),
  }
}

/** Decides the outcome of a check. An obstacle precedes it, except if a response shows a finding in another form. */
async function decideOutcome(
  session: Session,
  { check, declared }: PlannedCheck & { readonly check: Check },
  scope: RequestScope,
  alone: RunAlone,
): Promise<Outcome> {
  const before = obstacleTo(check, session)
  if (before !== undefined) return { verdict: 'not-testable', ...before }
  const outcome = await callCheck(check, createContext(session, scope, alone))
  if (scope.obstacle !== undefined) {
    // Without a usable response to each request, the outcome of the check is no evidence.
    return { verdict: 'not-testable', ...scope.obstacle }
  }
  if (scope.closedForm !== undefined && !isShown(outcome)) return { verdict: 'not-testable', ...scope.closedForm }
  if (scope.requests > check.cost.requests) {
    const params = { sent: scope.requests, declared: check.cost.requests }
    return { verdict: 'error', code: 'too-many-requests', params }
  }
  return declared === undefined
    ? judgeByDifferences(outcome, check.operation, session.settings.target.differences)
    : compareWithDeclared(outcome, declared)
}

/** Returns whether a response shows a finding. It then stands, although requests of another form failed. */
function isShown({ verdict, exchange }: Outcome): boolean {
  const isFinding = verdict === 'fail' || verdict === 'warn'
  return isFinding && exchange !== undefined && !hasTesterSideError(exchange) && !hasServerError(exchange)
}

/** Runs a summary check. If the run has no relevant response, first sends the request that causes one. */
async function provokeAndSummarize(
  session: Session,
  check: SummaryCheck,
  scope: RequestScope,
  alone: RunAlone,
): Promise<Decided> {
  const decided = summarizeRun(session, check)
  const isLacking = decided.outcome.verdict === 'not-testable' && !session.signal.aborted
  if (!isLacking || check.provoke === undefined || findMissing(check, session) !== undefined) return decided
  await check.provoke(createContext(session, scope, alone))
  return summarizeRun(session, check)
}

/** Runs a summary check. After an aborted run, it can fail but not pass, because responses are missing. */
function summarizeRun(session: Session, check: SummaryCheck): Decided {
  const recorder = new ExchangeRecorder()
  const { outcome: summary, evidence = [], hasCommand = true } = check.summarize(runLogOf(session))
  const found = judgeByDifferences(summary, check.operation, session.settings.target.differences)
  for (const { exchange, form } of evidence) recorder.add(exchange, form)
  const shown = evidence[0]?.exchange
  const missing = found.verdict === 'not-testable' ? findMissing(check, session) : undefined
  if (missing !== undefined) return { outcome: { verdict: 'not-testable', ...missing }, recorder, hasCommand }
  const outcome: Outcome = shown === undefined ? found : { ...found, exchange: shown }
  const isPartial = session.signal.aborted && outcome.verdict === 'pass'
  const decided: Outcome = isPartial ? { verdict: 'not-testable', ...getAbortReason(session.signal) } : outcome
  return { outcome: decided, recorder, hasCommand }
}

/** The exchanges of a session that the last check of the whole run evaluated. */
const sortedLogs = new WeakMap<Session, { readonly logged: number; readonly exchanges: readonly LoggedExchange[] }>()

function sortLog(session: Session): readonly LoggedExchange[] {
  const { log } = session.dispatcher
  const known = sortedLogs.get(session)
  if (known?.logged === log.length) return known.exchanges
  const exchanges = sortByRequest(log.filter(({ isSeparate }) => isSeparate !== true))
  sortedLogs.set(session, { logged: log.length, exchanges })
  return exchanges
}

function runLogOf(session: Session): RunLog {
  const { settings, startedAt } = session
  const { baseUrl, maxFlakesPercent, declarations, differences } = settings.target
  return {
    baseUrl,
    startedAt,
    exchanges: sortLog(session),
    differences,
    maxFlakesPercent,
    balance: declarations.balance,
    aliases: declarations.aliases,
  }
}

async function callCheck(check: Check, context: CheckContext): Promise<Outcome> {
  try {
    return await check.run(context)
  } catch (error) {
    return crashed(error)
  }
}

function crashed(error: unknown): Outcome {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
  return { verdict: 'error', code: 'check-crashed', params: { name, message } }
}

/** Compares an observation with the owner's declaration: a match is a pass, any other one a failure. */
function compareWithDeclared(outcome: Outcome, declared: ObservedValue): Outcome {
  if (outcome.verdict !== 'observed' || outcome.code !== 'observed-response') return outcome
  const verdict = matchesDeclaredValue(declared, getObservedValue(outcome.params.seen)) ? 'pass' : 'fail'
  return { ...outcome, verdict, expected: { declared: describeValue(declared) } }
}

/** Returns why a check cannot start: the run has ended, a prerequisite is missing, or a limit is reached. */
function obstacleTo(check: Check, session: Session): RunObstacle | undefined {
  if (session.signal.aborted) return getAbortReason(session.signal)
  return findMissing(check, session) ?? session.dispatcher.obstacle(check.cost.requests)
}

function findMissing({ needs }: AnyCheck, session: Session): RunObstacle | undefined {
  return needs.map((need) => findMissingPrerequisite(need, session)).find((obstacle) => obstacle !== undefined)
}

function findMissingPrerequisite(
  need: Prerequisite,
  { settings, models, modelObstacles }: Session,
): RunObstacle | undefined {
  const key = KEY_NAMES.find(({ account }) => account === need)
  if (key !== undefined) {
    const isGiven = settings.target.keys[key.name] !== undefined
    return isGiven ? undefined : { code: 'key-missing', params: { key: key.account } }
  }
  const [operation] = listOperationsRequiringModel([need])
  if (operation === undefined || models.has(operation)) return undefined
  return modelObstacles.get(operation) ?? { code: 'model-not-searched', params: { operation } }
}

export function listOperationsRequiringModel(needs: readonly Prerequisite[]): readonly Operation[] {
  return OPERATION_NAMES.filter((operation) => needs.includes(`${operation}Model`))
}
