import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { DeclaredAnswer } from '../targets/declared-answers.ts'
import { documentFields } from '../outcomes/document-fields.ts'
import type { Outcome } from '../outcomes/outcome.ts'
import { sentencesOf } from '../outcomes/sentences/sentences.ts'
import type { CheckContext } from './check.ts'
import { roundMs } from '../evidence/describe-exchange.ts'
import type { Recorder } from '../evidence/recorder.ts'
import { createContext } from './check-context.ts'
import { whyEnded } from './time-limit.ts'
import { missingNeed } from './check-needs.ts'
import type { PlannedCheck } from './plan.ts'
import { createRecorder, type Session } from './session.ts'

/** Runs one check and gives its entry in the document. Never throws: an exception of the check is the verdict `error`. */
export function judge(session: Session, planned: PlannedCheck): Promise<CheckEntry> {
  return judgeBy((context) => planned.check.run(context), session, planned)
}

/**
 * Runs a check so that others may run beside it from its first wait on, of which `onWait` is told. Nothing unless it passes:
 * the check then has to run alone. Never throws.
 */
export async function judgeBeside(
  session: Session,
  planned: PlannedCheck,
  onWait: () => void,
): Promise<CheckEntry | undefined> {
  const run: Run = ({ wait, ...context }) => {
    const telling = (ms: number): Promise<void> => {
      onWait()
      return wait(ms)
    }
    return (
      planned.check.beside?.run({ ...context, wait: telling }) ?? Promise.resolve(notTestable('it runs alone only'))
    )
  }
  const entry = await judgeBy(run, session, planned)
  return entry.verdict === 'pass' ? entry : undefined
}

type Run = (context: CheckContext) => Promise<Outcome>

async function judgeBy(run: Run, session: Session, planned: PlannedCheck): Promise<CheckEntry> {
  const { check } = planned
  const recorder = createRecorder(session.settings, check.id)
  const startedAtMs = session.wire.nowMs()
  const obstacle = obstacleBefore(session, planned)
  const outcome = obstacle === undefined ? await outcomeOf(run, { session, planned, recorder }) : notTestable(obstacle)
  const { mask } = session
  const evidence = recorder.evidence(mask)
  const reproduce = recorder.reproduce(mask)
  return {
    ...identityOf(planned),
    ...documentFields(outcome, check.operation, mask),
    durationMs: roundMs(session.wire.nowMs() - startedAtMs),
    ...(evidence.length === 0 ? {} : { evidence }),
    ...(reproduce === undefined ? {} : { reproduce }),
  }
}

/** The entry of a check that did not run. */
export function entryWithout(planned: PlannedCheck, verdict: 'not-testable' | 'error', reason: string): CheckEntry {
  const params = { operation: planned.check.operation, reason }
  return { ...identityOf(planned), verdict, code: 'not-run', params, expected: [], actual: reason, durationMs: 0 }
}

function identityOf({ check, requirement, answer }: PlannedCheck) {
  return {
    id: check.id,
    requirement: requirement.id,
    section: requirement.section,
    level: requirement.level,
    title: check.title,
    ...(answer === undefined ? {} : { declared: answer.words }),
  }
}

function notTestable(reason: string): Outcome {
  return { verdict: 'not-testable', code: 'not-run', params: { reason } }
}

function obstacleBefore(session: Session, { check }: PlannedCheck): string | undefined {
  if (session.wire.signal.aborted) {
    return whyEnded(session.wire.signal)
  }
  return (
    missingNeed(check.needs, session) ??
    session.timeouts.refusal(check.operation) ??
    session.budget.refusal(check.cost.requests, 0)
  )
}

interface Judging {
  readonly session: Session
  readonly planned: PlannedCheck
  readonly recorder: Recorder
}

async function outcomeOf(run: Run, { session, planned, recorder }: Judging): Promise<Outcome> {
  const { check } = planned
  const outcome = await guarded(run, createContext(session, check, recorder))
  // Whatever the check made of it: a request that could not be sent says nothing about the target.
  if (recorder.obstacle !== undefined) {
    return notTestable(recorder.obstacle)
  }
  if (recorder.sent > check.cost.requests) {
    const params = { sent: recorder.sent, declared: check.cost.requests }
    return { verdict: 'error', code: 'too-many-requests', params }
  }
  return planned.answer === undefined ? outcome : holdToAnswer(outcome, planned.answer)
}

/** A declared answer turns what is observed into what passes or fails; whatever else came of the check stays. */
function holdToAnswer(outcome: Outcome, { words, pattern }: DeclaredAnswer): Outcome {
  if (outcome.verdict !== 'observed') {
    return outcome
  }
  const verdict = new RegExp(pattern, 'u').test(sentencesOf(outcome).actual) ? 'pass' : 'fail'
  return { ...outcome, verdict, expected: { declared: words } }
}

async function guarded(run: Run, context: CheckContext): Promise<Outcome> {
  try {
    return await run(context)
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
    return { verdict: 'error', code: 'check-crashed', params: { name, message } }
  }
}
