/** k6 script that posts requests and reads the responses as streams, with every measurement of the extension. */
import { result, send, setUp } from 'k6/x/touchstone'
import { body, headers, url } from './load-request.ts'

export { options } from './load-request.ts'

const eventsPath = __ENV['EVENTS']
setUp(eventsPath === undefined ? {} : { eventsPath })

// oxlint-disable-next-line import/no-default-export -- k6 asks for it
export default function post(): void {
  const outcome = send({
    operation: 'chat-stream',
    method: 'POST',
    url,
    headers,
    body,
    model: 'vendora-v4-flash',
    stream: { tokenPerEvent: true },
  })
  if (!outcome.isOk || outcome.contentEvents !== 100 || outcome.violations.length > 0)
    throw new Error(JSON.stringify(outcome))
}

/** Prints nothing. */
export function handleSummary(): object {
  result()
  return {}
}
