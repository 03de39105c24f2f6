/**
 * Tests a declared rate limit (section 8). A client that does not wait gets as many successful responses as declared, no more and no
 * less; a client that waits as a 429 says is served after that.
 */
import { check, sleep } from 'k6'
import type { LoadRequest } from 'k6/x/touchstone'
import { checkRateLimit } from './lib/check-rate-limit.ts'
import { abortRun, prepare, takeTask } from './lib/load.ts'
import type { LoadSettings } from './lib/load-settings.ts'
import { buildRequest } from './lib/requests.ts'
import { sendChecked } from './lib/send-checked.ts'
import { makeSender } from './lib/sender.ts'
import { makeSummary } from './lib/summary.ts'

const STATES_WAIT = 'a 429 tells in seconds how long to wait'
const SERVED_AFTER_WAIT = 'a client that waited as it was told is served'

const load = prepare('rate-limit', (settings) => (settings.limit?.obey === true ? asOneClient(settings) : settings))
const { limit } = load.settings
if (limit === undefined) {
  abortRun('The setting limit is missing: declare it like {"requests": 60, "windowS": 60, "burst": 5, "obey": false}.')
}
const sender = makeSender(load.settings, 'TOUCHSTONE_KEY_LIMITED')

export const options = load.options
export const handleSummary = makeSummary(load, {
  required: limit.obey ? [STATES_WAIT, SERVED_AFTER_WAIT] : [],
  // Each of several processes sees only a part of the requests.
  checkRun: (counted) =>
    limit.obey || counted.segment.count > 1 ? [] : checkRateLimit(limit, load.plan === null, counted),
})

export default function rateLimit(): void {
  const task = takeTask(load)
  if (task === null) return
  const request = { ...buildRequest('chat', sender, { ...task, outputTokens: 1 }), expectedStatuses: [200, 429] }
  const outcome = sendChecked(request)
  if (outcome.status === 429 && limit?.obey === true)
    obey(request, Number(outcome.headers['retry-after']), limit.windowS)
}

function obey(request: LoadRequest, waitS: number, otherwiseS: number): void {
  const isTold = check(waitS, { [STATES_WAIT]: (told) => told >= 0 })
  sleep(isTold ? waitS : otherwiseS)
  const { turn: _, ...again } = request
  check(sendChecked(again), { [SERVED_AFTER_WAIT]: ({ status }) => status === 200 })
}

/** Of several clients that wait for the same moment, only one can be served. */
function asOneClient(settings: LoadSettings): LoadSettings {
  const stages = settings.stages.map(({ durationS }) => ({ durationS, from: 1, to: 1 }))
  return { ...settings, arrivals: 'closed', vus: 1, stages }
}
