import { type LatencyBudget, countRequiredSamples } from '../latency/budget.ts'
import { LatencySamples, TIMED_OPERATIONS, type TimedOperation } from '../latency/latency-samples.ts'
import { buildSmallRequest } from '../traffic/control-requests.ts'
import { createScope, type Session } from './session.ts'

/**
 * Measures latency after all checks. For each operation with a budget, sends its small request repeatedly, one at a
 * time. Stops early if the run reaches a limit.
 * @param chosen number of requests for each operation. Default: the number that the budgets require
 */
export async function measureLatency(
  session: Session,
  budgets: readonly LatencyBudget[],
  chosen: number | undefined,
): Promise<LatencySamples> {
  const samples = new LatencySamples()
  for (const timed of TIMED_OPERATIONS) {
    await measure(session, timed, countRequiredSamples(budgets, timed, chosen), samples)
  }
  return samples
}

async function measure(session: Session, timed: TimedOperation, count: number, samples: LatencySamples): Promise<void> {
  const operation = timed === 'chat-stream' ? 'chat' : timed
  if (session.settings.target.keys.funded === undefined || !session.models.has(operation)) {
    return
  }
  for (let index = 0; index < count; index += 1) {
    // Each request contains a different text, so that no response comes from a cache.
    using scope = createScope(session, { name: `sample ${timed} ${index}`, operation })
    samples.add(await session.dispatcher.dispatch(scope, buildSmallRequest(session, timed, scope.tag)))
    if ((scope.obstacle ?? scope.closedForm) !== undefined) {
      return
    }
  }
}
