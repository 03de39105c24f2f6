import { check } from 'k6'
import { send, type TimedOperation, type LoadRequest, type Outcome } from 'k6/x/touchstone'
import { IMAGE_PATH_PREFIX } from '../../contract/facts.ts'

interface ResponseCheck {
  readonly name: string
  holds(outcome: Outcome): boolean
}

/**
 * Checks of successful responses (sections 2.3 to 2.5, 4.1, 4.5), keyed by operation. They detect responses that become
 * incorrect under load. They are cheap and incomplete, because the conformance suite already tests correctness. The
 * extension checks the content of streams.
 */
const CHECKS: Readonly<Partial<Record<TimedOperation, ResponseCheck>>> = {
  models: { name: 'models: the response is a list', holds: ({ body }) => has(body, '"data"') },
  chat: { name: 'chat: the response has usage', holds: ({ usage }) => usage !== null },
  'chat-stream': { name: 'chat-stream: the response has events', holds: ({ events }) => events > 0 },
  images: {
    name: 'images: the response has the URL of an image',
    // JSON may escape a slash with a backslash.
    holds: ({ body }) => has(body?.replaceAll('\\/', '/') ?? null, IMAGE_PATH_PREFIX),
  },
  transcriptions: { name: 'transcriptions: the response has a text', holds: ({ body }) => has(body, '"text"') },
  speech: { name: 'speech: the response has a body', holds: ({ bytes }) => bytes > 0 },
}

/** Sends a request. If the request succeeds and does not belong to the warm-up, checks the response. */
export function sendAndCheck(request: LoadRequest): Outcome {
  const outcome = send(request)
  const responseCheck = CHECKS[request.operation]
  const isServed = outcome.status >= 200 && outcome.status <= 299 && outcome.error === null
  if (responseCheck !== undefined && isServed && request.isWarmUp !== true) {
    check(outcome, { [responseCheck.name]: responseCheck.holds })
  }
  return outcome
}

function has(body: string | null, part: string): boolean {
  return body?.includes(part) === true
}
