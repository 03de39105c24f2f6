import { parseRetryAfterMs } from '../../http/retry-after.ts'
import type { Exchange } from '../../http/exchange.ts'
import { findStreamError } from '../../http/stream-error.ts'
import type { UpstreamFailure } from '../../findings/gateway.ts'
import { parseStream } from '../shared/stream.ts'
import { isNonEmptyString } from '../shared/response-access.ts'
import type { BothEnds, Seen } from '../../upstream/both-ends.ts'
import { assertServedBefore, isServedThrough } from './define-check.ts'

export interface FailureTrial {
  readonly failure: UpstreamFailure
  readonly seen: Seen
  /** Time until the gateway served a request again, in milliseconds. Undefined if it did not within the limit. */
  readonly recoveredMs: number | undefined
}

/** Maximum time for which the suite waits until a gateway serves requests again, in milliseconds. */
export const MAX_COOL_DOWN_MS = 20_000
const CONTROL_PAUSE_MS = 250

const ERROR_STATUSES = [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529] as const

/** Seconds of Retry-After that the upstream sends with a 429 and a 503. */
export const RETRY_AFTER_S = 1

const LOST_COMPLETIONS = ['before-head', 'in-head', 'in-body'] as const
const LOST_STREAMS = ['before-head', 'before-first-token', 'after-first-token', 'in-event', 'in-body'] as const

const BODIES = {
  json: {
    headers: { 'content-type': 'application/json' },
    body: { error: { message: 'Failure of the upstream.', type: 'error', param: null, code: null } },
  },
  html: { headers: { 'content-type': 'text/html' }, body: '<html><body><h1>Bad gateway</h1></body></html>' },
  empty: { headers: {}, body: '' },
  broken: { headers: { 'content-type': 'application/json' }, body: '{"error": {"message": "Failure of' },
} as const

/** Errors with a status: each status once, and with every body both for streams and complete responses. */
export const STATUS_FAILURES: readonly UpstreamFailure[] = [
  ...ERROR_STATUSES.map((status) => ({ status, body: 'json' as const, isStream: false })),
  ...[400, 429, 500].map((status) => ({ status, body: 'json' as const, isStream: true })),
]
export const BODY_FAILURES: readonly UpstreamFailure[] = (['html', 'empty', 'broken'] as const).flatMap((body) =>
  [false, true].map((isStream) => ({ status: 502, body, isStream })),
)
export const LOSSES_OF_STREAMS: readonly UpstreamFailure[] = LOST_STREAMS.map((lostAt) => ({ lostAt, isStream: true }))
export const LOSSES_OF_COMPLETIONS: readonly UpstreamFailure[] = LOST_COMPLETIONS.map((lostAt) => ({
  lostAt,
  isStream: false,
}))
export const ERROR_EVENTS: readonly UpstreamFailure[] = [{ errorEvent: true, isStream: true }]

/** Text of a response that the upstream does not complete. It contains a character of several bytes. */
const CUT_TEXT = 'One two three “four” five six seven eight nine ten.'

export function respond({ status, body, lostAt, errorEvent }: UpstreamFailure): Readonly<Record<string, unknown>> {
  if (status !== undefined) {
    const { headers, ...form } = BODIES[body ?? 'json']
    const isRetryable = status === 429 || status === 503
    return {
      status,
      ...form,
      headers: { ...headers, ...(isRetryable ? { 'retry-after': String(RETRY_AFTER_S) } : {}) },
    }
  }
  return { text: CUT_TEXT, fault: errorEvent === true ? { errorAfterEvents: 3 } : { loseAt: lostAt } }
}

/**
 * Makes the upstream fail in one way after the other, once in a run. After each failure, sends a chat that the upstream
 * serves, until the gateway forwards it again. Ends if the gateway does not recover, because its responses no longer show
 * what it does with a failure.
 */
export function tryFailures(
  ends: BothEnds,
  name: string,
  failures: readonly UpstreamFailure[],
): Promise<readonly FailureTrial[]> {
  return ends.share(`failures ${name}`, async () => {
    const trials: FailureTrial[] = []
    for (const failure of failures) {
      if (ends.run.found.has('no-recovery')) break
      const fields = () => ({ stream: failure.isStream, max_tokens: 100 })
      const seen = await ends.send({ respond: respond(failure), fields })
      const { recoveredMs } = await waitForRecovery(ends)
      if (recoveredMs === undefined) ends.run.found.add('no-recovery')
      trials.push({ failure, seen: await ends.lookAgain(seen), recoveredMs })
    }
    return trials
  })
}

/** Returns how long the gateway took to forward a chat again, in ms, or undefined, and the last response. */
export async function waitForRecovery(
  ends: BothEnds,
): Promise<{ readonly recoveredMs: number | undefined; readonly last: Seen }> {
  const start = performance.now()
  let control = await ends.send({ respond: { text: 'One.' }, acceptsLimit: true })
  if (isServedThrough(control)) return { recoveredMs: 0, last: control }
  assertServedBefore(ends, control)
  while (performance.now() - start <= MAX_COOL_DOWN_MS) {
    await ends.pause(CONTROL_PAUSE_MS)
    control = await ends.repeat(control)
    if (isServedThrough(control)) return { recoveredMs: performance.now() - start, last: control }
  }
  return { recoveredMs: undefined, last: control }
}

/** Returns whether a failure reached the client as a complete response. Clients read the status, not the body. */
export function isHidden({ seen: { client, upstream }, failure }: FailureTrial): boolean {
  const { status, error } = client
  if (error !== undefined || status === 0 || status >= 400) return false
  if (!failure.isStream) return true
  if (findStreamError(client) !== undefined) return false
  // A response to HTTP/1.0 declares no length, so only its marks show that it is incomplete (RFC 9112, section 6.3).
  const isCutVisible = failure.lostAt === undefined || upstream.at(-1)?.httpVersion !== '1.0'
  return isCutVisible || findEndMark(client) !== undefined
}

/** Returns how a complete stream ends: with `[DONE]`, or with a finish_reason. */
export function findEndMark(client: Exchange): 'done' | 'finish-reason' | undefined {
  const { done, withChoice } = parseStream(client)
  if (done !== undefined) return 'done'
  return withChoice.some(({ finishReason }) => isNonEmptyString(finishReason)) ? 'finish-reason' : undefined
}

/** Formats a failure for the table of policies: `429`, `502 html`, `lost in-body (stream)`. */
export function nameFailure({ status, body, lostAt, isStream }: UpstreamFailure): string {
  const what = lostAt === undefined ? `${status ?? 'error event'}` : `lost ${lostAt}`
  const form = body === undefined || body === 'json' ? '' : ` ${body}`
  return `${what}${form}${isStream ? ' (stream)' : ''}`
}

export function hasRetryAfter(client: Exchange): boolean {
  return parseRetryAfterMs(client.headers) !== undefined
}
