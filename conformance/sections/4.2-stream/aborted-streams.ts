import { type CheckContext, defineCheck, SMALL_CHAT_TOKENS } from '../../engine/check.ts'
import type { Exchange, StreamEvent } from '../../http/exchange.ts'
import type { AbortCondition } from '../../http/http-options.ts'
import { hasServerError } from '../../http/stream-error.ts'
import { parseRetryAfterMs } from '../../http/retry-after.ts'
import * as expect from '../../findings/expect.ts'
import { buildLongCompletion, LONG_PROMPT_TOKENS } from '../shared/long-completion.ts'
import { isNonEmptyString } from '../shared/response-access.ts'
import { parseStreamEvents } from '../shared/stream.ts'

/** `max_tokens` of a stream that lasts long enough for the client to abort it before its end. */
const MANY_TOKENS = 160
/** Longest wait for a target that rejects the next request, in milliseconds. */
const MAX_WAIT_MS = 10_000
const USUAL_WAIT_MS = 1000

/** Points of a stream at which clients abort it. */
const BEFORE_HEAD: AbortCondition = () => true
const BEFORE_TEXT: AbortCondition = (events) => events.length > 0
const IN_THE_MIDDLE: AbortCondition = (events) => events.length > 4
const AFTER_FINISH: AbortCondition = (events) => hasFinishReason(events)

const ABORT_POINTS = [BEFORE_HEAD, BEFORE_TEXT, IN_THE_MIDDLE, AFTER_FINISH] as const

/** Aborted streams: enough for a target that loses one of its slots with each of them to lose all slots. */
const ABORTS = ABORT_POINTS.flatMap((abortWhen) => [abortWhen, abortWhen])

/** Index of an aborted stream that the next request repeats, because a cache may have kept the part before the abort. */
const REPEATED = ABORTS.indexOf(IN_THE_MIDDLE)

const CONSEQUENCE =
  'each user who stops a response takes a slot of the gateway or of the model server, until none is left: end the generation and free the slot when a client disconnects'

function hasFinishReason(events: readonly StreamEvent[]): boolean {
  return parseStreamEvents(events).withChoice.some(({ finishReason }) => isNonEmptyString(finishReason))
}

/** Sends streams in parallel, and closes the connection of each at a different point. `last` contains the fields of one. */
function sendAbortedStreams({ chat, nonce, smallMaxTokens }: CheckContext, last: object): Promise<readonly Exchange[]> {
  const send = (abortWhen: AbortCondition, index: number): Promise<Exchange> => {
    const tokens = abortWhen === AFTER_FINISH ? smallMaxTokens : MANY_TOKENS
    const fields = { messages: buildLongCompletion(nonce()), max_tokens: tokens, stream: true }
    return chat({ ...fields, ...(index === REPEATED ? last : {}) }, { abortWhen, retryRateLimited: false })
  }
  return Promise.all(ABORTS.map(send))
}

/** Lists streams that clients abort at different points, with their `max_tokens`. */
export function listAbortedStreams(manyTokens: number, fewTokens: number) {
  return ABORT_POINTS.map((abortWhen) => ({
    abortWhen,
    maxTokens: abortWhen === AFTER_FINISH ? fewTokens : manyTokens,
  }))
}

export const nextRequestAfterAbort = defineCheck({
  id: '4.2/left-stream',
  requirement: '4.2/stream-abort',
  title: `serves the next request after clients abort ${ABORTS.length} streams`,
  operation: 'chat',
  cost: {
    requests: ABORTS.length + 3,
    chatTokens: (ABORTS.length + 2) * (MANY_TOKENS + LONG_PROMPT_TOKENS) + SMALL_CHAT_TOKENS,
  },
  alone: true,
  async run(context) {
    const { chat, nonce, shared, wait } = context
    const control = await shared.chat({ stream: true })
    if (!expect.isServed(control))
      return expect.checkConvention(control, expect.EXPECT_SUCCESS, () => undefined, CONSEQUENCE)
    const repeated = { messages: buildLongCompletion(nonce()), max_tokens: MANY_TOKENS, stream: true }
    const streams = await sendAbortedStreams(context, repeated)
    const aborted = streams.filter(({ wasAborted }) => wasAborted === true).length
    const [first] = streams
    if (aborted === 0 && first !== undefined) {
      return expect.checkConvention(first, expect.EXPECT_SUCCESS, () => undefined, CONSEQUENCE)
    }
    let next = await chat(repeated, { retryRateLimited: false })
    if (next.error === undefined && next.status === 429) {
      await wait(Math.min(parseRetryAfterMs(next.headers) ?? USUAL_WAIT_MS, MAX_WAIT_MS))
      next = await chat(repeated, { retryRateLimited: false })
    }
    if (expect.isServed(next)) {
      return expect.pass(expect.EXPECT_SUCCESS, { kind: 'after-aborts', aborted })
    }
    // Another rejection has a cause other than the aborted streams.
    if (next.status !== 429 && !hasServerError(next)) {
      return expect.checkConvention(next, expect.EXPECT_SUCCESS, () => undefined, CONSEQUENCE)
    }
    const params = { aborted, ...expect.getResponseParams(next) }
    return {
      ...expect.warn(expect.EXPECT_SUCCESS, { code: 'not-served-after-aborts', params }, CONSEQUENCE),
      exchange: next,
    }
  },
})
