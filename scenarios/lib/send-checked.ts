import { check } from 'k6'
import { send, type TimedOperation, type LoadRequest, type Outcome } from 'k6/x/touchstone'
import { IMAGE_PATH_PREFIX } from '../../contract/facts.ts'

interface ResponseCheck {
  readonly name: string
  holds(outcome: Outcome): boolean
}

/**
 * Checks of successful responses (sections 2.3, 4.3), keyed by operation. They detect responses that become incorrect
 * under load. They are cheap and incomplete, because the conformance suite already tests correctness. The extension
 * checks the content of streams, and that each body is a result of its operation.
 */
const CHECKS: Readonly<Partial<Record<TimedOperation, ResponseCheck>>> = {
  chat: { name: 'chat: the response has usage', holds: ({ usage }) => usage !== null },
  images: {
    name: 'images: the response has the URL of an image',
    // JSON may escape a slash with a backslash.
    holds: ({ body }) => body?.replaceAll('\\/', '/').includes(IMAGE_PATH_PREFIX) === true,
  },
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
