import { check } from 'k6'
import { send, type LoadOperation, type LoadRequest, type Outcome } from 'k6/x/touchstone'
import { IMAGE_PATH_PREFIX } from '../../contract/facts.ts'

interface ResponseCheck {
  readonly name: string
  holds(outcome: Outcome): boolean
}

/**
 * Checks of successful responses (sections 2.3 to 2.5, 4.1, 4.5). They are cheap, because load tests whether responses stay correct under
 * pressure; the conformance suite tests whether they are correct. The extension checks the content of streams.
 */
const CHECKS: Readonly<Partial<Record<LoadOperation, ResponseCheck>>> = {
  models: { name: 'models: the answer is a list', holds: ({ body }) => has(body, '"data"') },
  chat: { name: 'chat: the answer has its usage', holds: ({ usage }) => usage !== null },
  'chat-stream': { name: 'chat-stream: the answer has events', holds: ({ events }) => events > 0 },
  images: {
    name: 'images: the answer has the address of an image',
    // A slash may be written with a backslash in JSON.
    holds: ({ body }) => has(body?.replaceAll('\\/', '/') ?? null, IMAGE_PATH_PREFIX),
  },
  transcriptions: { name: 'transcriptions: the answer has a text', holds: ({ body }) => has(body, '"text"') },
  speech: { name: 'speech: the answer has bytes', holds: ({ bytes }) => bytes > 0 },
}

/** Sends a request, and checks its response if it was successful. */
export function sendChecked(request: LoadRequest): Outcome {
  const outcome = send(request)
  const claim = CHECKS[request.operation]
  const isServed = outcome.status >= 200 && outcome.status <= 299 && outcome.error === null
  if (claim !== undefined && isServed) {
    check(outcome, { [claim.name]: claim.holds })
  }
  return outcome
}

function has(body: string | null, part: string): boolean {
  return body?.includes(part) === true
}
