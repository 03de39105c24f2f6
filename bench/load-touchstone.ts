/**
 * k6 script that sends POST requests and reads the responses as streams, with all measurements of the extension
 * enabled. With `RATE`, it sends requests at planned times. With `EVENTS`, the extension writes the times of each response
 * to this file.
 */
import { plan, ready, result, send, setUp } from 'k6/x/touchstone'
import { ITERATIONS, REQUEST_BODY, REQUEST_HEADERS, TARGET_URL, VUS } from './load-request.ts'

export { options } from './load-request.ts'

const ratePerS = Number(__ENV['RATE'] ?? 0)
const resultPath = __ENV['RESULT']
const eventsPath = __ENV['EVENTS']
setUp({ vus: VUS, ...(eventsPath === undefined ? {} : { eventsPath }) })
const arrivals =
  ratePerS === 0
    ? null
    : plan(() => ({ atMs: Array.from({ length: ITERATIONS }, (_, index) => (index * 1000) / ratePerS) }))

// oxlint-disable-next-line import/no-default-export -- k6 requires it
export default function post(): void {
  const turn = arrivals?.next()
  if (turn === null) return
  if (turn === undefined) ready()
  const outcome = send({
    operation: 'chat-stream',
    method: 'POST',
    url: TARGET_URL,
    headers: REQUEST_HEADERS,
    body: REQUEST_BODY,
    model: 'vendora-v4-flash',
    stream: {},
    ...(turn === undefined ? {} : { turn }),
  })
  if (!outcome.isOk || outcome.events === 0 || outcome.violations.length > 0) throw new Error(JSON.stringify(outcome))
}

/** Writes the extension's result to a file instead of k6's summary. */
export function handleSummary(): Record<string, string> {
  const text = result()
  return resultPath === undefined ? {} : { [resultPath]: text }
}
