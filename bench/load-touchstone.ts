/** k6 script that posts requests and reads the responses as streams, with all measurements of the extension enabled. */
import { result, send, setUp } from 'k6/x/touchstone'
import { REQUEST_BODY, REQUEST_HEADERS, TARGET_URL } from './load-request.ts'

export { options } from './load-request.ts'

const eventsPath = __ENV['EVENTS']
setUp(eventsPath === undefined ? {} : { eventsPath })

// oxlint-disable-next-line import/no-default-export -- k6 requires it
export default function post(): void {
  const outcome = send({
    operation: 'chat-stream',
    method: 'POST',
    url: TARGET_URL,
    headers: REQUEST_HEADERS,
    body: REQUEST_BODY,
    model: 'vendora-v4-flash',
    stream: { tokenPerEvent: true },
  })
  if (!outcome.isOk || outcome.contentEvents !== 100 || outcome.violations.length > 0)
    throw new Error(JSON.stringify(outcome))
}

/** Suppresses k6's summary. */
export function handleSummary(): object {
  result()
  return {}
}
