/**
 * Aborts each stream after a random number of content events, from 1 to `abortAfterEvents`, and checks that the
 * extension reads no more events than planned.
 */
import { check } from 'k6'
import { chooseAbortAfterEvents } from './lib/choose-operation.ts'
import { prepareScenario, type RequestTask, runIteration } from './lib/prepare-scenario.ts'
import { buildRequest } from './lib/requests.ts'
import { sendAndCheck } from './lib/send-checked.ts'
import { createScriptContext } from './lib/script-context.ts'
import { createSummaryHandler } from './lib/summary.ts'

const DEFAULT_MAX_EVENTS = 20
const ABORTED_IN_TIME = 'a client that aborts a stream has read no more events than planned'

const load = prepareScenario('abort')
const sender = createScriptContext(load)
const { seed, abortAfterEvents: mostEvents = DEFAULT_MAX_EVENTS } = load.settings

export const options = load.options
export const handleSummary = createSummaryHandler(load, { required: [ABORTED_IN_TIME] })

export default function abort(): void {
  runIteration(load, sendAndAbort)
}

function sendAndAbort(task: RequestTask): void {
  const abortAfterEvents = chooseAbortAfterEvents(mostEvents, seed, task.index)
  const request = buildRequest('chat-stream', sender, task)
  const outcome = sendAndCheck({ ...request, stream: { ...request.stream, abortAfterEvents } })
  if (outcome.status === 200 && !task.isWarmUp) {
    check(outcome, { [ABORTED_IN_TIME]: ({ tokenEvents }) => tokenEvents <= abortAfterEvents })
  }
}
