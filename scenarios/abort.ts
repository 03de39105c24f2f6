/**
 * Measures the cost of streams that clients abort, each after another number of events, and their effect on other
 * clients.
 */
import { check } from 'k6'
import { chooseAbort } from './lib/choose-operation.ts'
import { prepare, takeTask } from './lib/load.ts'
import { buildRequest } from './lib/requests.ts'
import { sendChecked } from './lib/send-checked.ts'
import { makeSender } from './lib/sender.ts'
import { makeSummary } from './lib/summary.ts'

const DEFAULT_MAX_EVENTS = 20
const ABORTED_IN_TIME = 'a client that leaves has read no more events than it wanted'

const load = prepare('abort')
const sender = makeSender(load.settings)
const { seed, abortAfterEvents: mostEvents = DEFAULT_MAX_EVENTS } = load.settings

export const options = load.options
export const handleSummary = makeSummary(load, { required: [ABORTED_IN_TIME] })

export default function abort(): void {
  const task = takeTask(load)
  if (task === null) return
  const abortAfterEvents = chooseAbort(mostEvents, seed, task.index)
  const request = buildRequest('chat-stream', sender, task)
  const outcome = sendChecked({ ...request, stream: { ...request.stream, abortAfterEvents } })
  if (outcome.status === 200) {
    check(outcome, { [ABORTED_IN_TIME]: ({ contentEvents }) => contentEvents <= abortAfterEvents })
  }
}
