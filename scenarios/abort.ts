/** What do clients that leave cost, and do the others notice? Each leaves its stream after a number of events of its own. */
import { check } from 'k6'
import { chooseLeaving } from './lib/choose-operation.ts'
import { prepare, takeTask } from './lib/load.ts'
import { requestOf } from './lib/requests.ts'
import { sendChecked } from './lib/send-checked.ts'
import { makeSender } from './lib/sender.ts'
import { makeSummary } from './lib/summary.ts'

const USUAL_MOST_EVENTS = 20
const LEFT_IN_TIME = 'a client that leaves has read no more events than it wanted'

const load = prepare('abort')
const sender = makeSender(load.settings)
const { seed, abortAfterEvents: mostEvents = USUAL_MOST_EVENTS } = load.settings

export const options = load.options
export const handleSummary = makeSummary(load, { due: [LEFT_IN_TIME] })

export default function abort(): void {
  const task = takeTask(load)
  if (task === null) return
  const abortAfterEvents = chooseLeaving(mostEvents, seed, task.index)
  const request = requestOf('chat-stream', sender, task)
  const outcome = sendChecked({ ...request, stream: { ...request.stream, abortAfterEvents } })
  if (outcome.status === 200) {
    check(outcome, { [LEFT_IN_TIME]: ({ contentEvents }) => contentEvents <= abortAfterEvents })
  }
}
