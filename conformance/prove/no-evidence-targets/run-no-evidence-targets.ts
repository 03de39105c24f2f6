import { setImmediate } from 'node:timers/promises'
import type { Operation } from '../../../contract/facts.ts'
import type { NoEvidenceTargetResult } from '../../../reports/prove-document.ts'
import { CHECKS } from '../../sections/checks.ts'
import { SCRIPTED_BASE_URL, SCRIPTED_MODEL, createScriptedContext } from './scripted-context.ts'
import { type AnyCheck, isSummaryCheck } from '../../engine/check.ts'
import { SPECIFIED_MODELS } from '../../engine/model-catalog.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { hasBrokenDown } from '../../http/breakdown.ts'
import { findOperationByPath, classifyRequest } from '../../requests/classify-request.ts'
import { REQUIREMENTS } from '../../sections/requirements.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { REVIEWED_PASSES } from './reviewed-passes.ts'
import { NO_EVIDENCE_TARGETS, type NoEvidenceTarget } from './no-evidence-targets.ts'

/**
 * Runs every check against every target without evidence. The responses are scripted and use no sockets, because the
 * transport does not affect the outcomes.
 * @param signal ends the run early; the results are then incomplete
 */
export async function runNoEvidenceTargets(
  checks: readonly AnyCheck[] = CHECKS,
  signal?: AbortSignal,
): Promise<readonly NoEvidenceTargetResult[]> {
  const results: NoEvidenceTargetResult[] = []
  for (const target of NO_EVIDENCE_TARGETS) {
    results.push(evaluate(target, await runChecks(target, checks, signal)))
  }
  return results
}

function evaluate(target: NoEvidenceTarget, outcomes: ReadonlyMap<string, Outcome>): NoEvidenceTargetResult {
  const passed = [...outcomes].filter(([, { verdict }]) => verdict === 'pass').map(([id]) => id)
  const reasons = new Map(
    REVIEWED_PASSES.filter(({ targets }) => targets.includes(target.name)).flatMap(({ checks: ids, reason }) =>
      ids.map((id) => [id, reason] as const),
    ),
  )
  return {
    target: target.name,
    responds: target.responds,
    passes: passed.flatMap((check) => {
      const reason = reasons.get(check)
      return reason === undefined ? [] : [{ check, reason }]
    }),
    unexpected: passed.filter((id) => !reasons.has(id)),
    outdated: [...reasons.keys()].filter((id) => outcomes.has(id) && !passed.includes(id)),
  }
}

/** Returns the outcome of each check by ID. Summary checks evaluate the responses to all other checks. */
async function runChecks(
  { respond }: NoEvidenceTarget,
  checks: readonly AnyCheck[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>()
  const exchanges: LoggedExchange[] = []
  for (const check of checks) {
    if (isSummaryCheck(check)) continue
    await setImmediate() // Lets a signal abort the run, because scripted responses never wait for the event loop.
    if (signal?.aborted === true) break
    const context = createScriptedContext(respond, (request, exchange, form) => {
      const kind = classifyRequest({
        request,
        form,
        isServed: serves,
        isListed: (model) => SPECIFIED_MODELS.has(model),
      })
      const logged = {
        source: check.id,
        operation: findOperationByPath(request.path),
        key: request.key,
        kind: kind === 'invalid' && UNSPECIFIED_REQUIREMENTS.has(check.requirement) ? ('unspecified' as const) : kind,
        request: exchanges.length + 1,
        exchange,
        form,
      }
      // Adds the first attempt, because the engine repeats a request that broke down.
      if (hasBrokenDown(exchange)) exchanges.push({ ...logged, isFinal: false })
      exchanges.push({ ...logged, isFinal: true })
    })
    outcomes.set(check.id, await check.run(context))
  }
  for (const check of checks.filter(isSummaryCheck))
    outcomes.set(check.id, check.summarize({ exchanges, baseUrl: SCRIPTED_BASE_URL, startedAt: 0 }).outcome)
  return outcomes
}

const UNSPECIFIED_REQUIREMENTS = new Set<string>(
  REQUIREMENTS.filter(({ level }) => level === 'unspecified').map(({ id }) => id),
)

function serves(operation: Operation, model: string): boolean {
  return model === SCRIPTED_MODEL || (operation === 'chat' && SPECIFIED_MODELS.requiresChat(model))
}
