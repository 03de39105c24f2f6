import type { Operation } from '../../contract/facts.ts'
import type { Exchange, RequestSpec } from '../http/exchange.ts'
import { formFields, formRequest, jsonRequest, listRequest, type RequestBasis } from '../requests/build-request.ts'
import { LatencySamples } from '../latency/latency-samples.ts'
import { sendFor } from './send.ts'
import { createRecorder, type Session } from './session.ts'
import { type LatencyBudget, samplesFor, TIMED_OPERATIONS, type TimedOperation } from '../latency/budget.ts'

/**
 * Sends the usual small request of each operation with a budget, one at a time and after all checks, so that nothing else
 * is in its way. Where the run may send no more, or the target gives up, the samples stay fewer.
 */
export async function takeSamples(
  session: Session,
  budgets: readonly LatencyBudget[],
  chosen: number | undefined,
): Promise<LatencySamples> {
  const taken = new LatencySamples()
  for (const timed of TIMED_OPERATIONS) {
    await sample(session, timed, samplesFor(budgets, timed, chosen), taken)
  }
  return taken
}

async function sample(session: Session, timed: TimedOperation, count: number, taken: LatencySamples): Promise<void> {
  const operation = timed === 'chat-stream' ? 'chat' : timed
  if (session.settings.target.keys.funded === undefined || !session.models.has(operation)) {
    return
  }
  for (let index = 0; index < count; index += 1) {
    // Each has a text of its own, so that no answer comes from a cache.
    const recorder = createRecorder(session.settings, `sample ${timed} ${index}`)
    const exchange: Exchange = await sendFor(session, {
      spec: usualRequest(session, timed, operation, recorder.tag),
      recorder,
      operation,
    })
    taken.note(exchange)
    if (recorder.obstacle !== undefined) {
      return
    }
  }
}

function usualRequest(session: Session, timed: TimedOperation, operation: Operation, tag: string): RequestSpec {
  const form = session.forms.get(operation)
  const basis: RequestBasis = {
    model: session.models.get(operation) ?? '',
    key: session.settings.target.keys.funded,
    tag,
    ...(form === undefined ? {} : { form }),
  }
  switch (operation) {
    case 'models':
      return listRequest(basis, {})
    case 'transcriptions':
      return formRequest(basis, formFields(basis, {}), {})
    default:
      return jsonRequest(operation, basis, timed === 'chat-stream' ? { stream: true } : {}, {})
  }
}
