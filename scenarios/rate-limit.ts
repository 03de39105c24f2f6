/**
 * Tests a declared rate limit (section 8). A client that ignores 429 responses must receive as many successful
 * responses as the limit allows. A client that obeys `Retry-After` must succeed after the wait.
 */
import { check, sleep } from 'k6'
import type { LoadRequest } from 'k6/x/touchstone'
import { checkRateLimit } from './lib/check-rate-limit.ts'
import { abortRun, prepareScenario, takeNextTask } from './lib/prepare-scenario.ts'
import type { LoadSettings } from './lib/load-settings.ts'
import { buildRequest } from './lib/requests.ts'
import { sendAndCheck } from './lib/send-checked.ts'
import { createScriptContext } from './lib/script-context.ts'
import { createSummaryHandler } from './lib/summary.ts'

const STATES_WAIT = 'a 429 states the wait in seconds'
const SERVED_AFTER_WAIT = 'a client that waited for Retry-After is served'

const load = prepareScenario('rate-limit', (settings) =>
  settings.limit?.obey === true ? limitToOneClient(settings) : settings,
)
const { limit } = load.settings
if (limit === undefined) {
  abortRun('The setting limit is missing: declare it like {"requests": 60, "windowS": 60, "burst": 5, "obey": false}.')
}
const sender = createScriptContext(load, 'TOUCHSTONE_KEY_LIMITED')

export const options = load.options
export const handleSummary = createSummaryHandler(load, {
  required: limit.obey ? [STATES_WAIT, SERVED_AFTER_WAIT] : [],
  // Segments are not checked, because each one sends only a share of the requests.
  checkRun: (counted) =>
    limit.obey || counted.segment.count > 1 ? [] : checkRateLimit(limit, load.plan === null, counted),
})

export default function rateLimit(): void {
  const task = takeNextTask(load)
  if (task === null) return
  const request = { ...buildRequest('chat', sender, { ...task, outputTokens: 1 }), expectedStatuses: [200, 429] }
  const outcome = sendAndCheck(request)
  if (outcome.status === 429 && limit?.obey === true)
    obey(request, Number(outcome.headers['retry-after']), limit.windowS)
}

function obey(request: LoadRequest, waitS: number, otherwiseS: number): void {
  const isReported = check(waitS, { [STATES_WAIT]: (reported) => reported >= 0 })
  sleep(isReported ? waitS : otherwiseS)
  const { turn: _, ...again } = request
  check(sendAndCheck(again), { [SERVED_AFTER_WAIT]: ({ status }) => status === 200 })
}

/** Limits the load to one client, because only one of several clients that wait until the same time could succeed. */
function limitToOneClient(settings: LoadSettings): LoadSettings {
  const stages = settings.stages.map(({ durationS }) => ({ durationS, from: 1, to: 1 }))
  return { ...settings, arrivals: 'closed', vus: 1, stages }
}
