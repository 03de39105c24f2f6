import { type Check, type CheckContext, defineCheck } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import type { Deviation, Expectation } from '../outcomes/outcome.ts'
import type { Seen } from '../outcomes/seen.ts'
import { FEW_TOKENS, LONG_COMPLETION } from './long-completion.ts'

/** The default of the document, which every target must allow. */
const MANY_TOKENS = 256
/** Upper bound of the prompt tokens of a long response. */
const PROMPT_TOKENS = 112

/** Below this, network noise hides the time that further tokens take. */
const MIN_GROWTH_MS = 500
/** A held-back stream arrives in one write. */
const MIN_SPREAD_SHARE = 0.25
const MIN_EVENTS = 4

/** A short and a long streamed completion of the same messages. */
interface Pair {
  readonly short: Exchange
  readonly long: Exchange
}

async function requestPair({ chat }: CheckContext): Promise<Pair> {
  const send = (tokens: number) => chat({ messages: LONG_COMPLETION, max_tokens: tokens, stream: true })
  return { short: await send(FEW_TOKENS), long: await send(MANY_TOKENS) }
}

/** Returns how much later the long stream ended than the short one, in milliseconds. */
function growthMs({ short, long }: Pair): number {
  return lastMs(long) - lastMs(short)
}

function lastMs({ events, totalMs }: Exchange): number {
  return events.at(-1)?.atMs ?? totalMs
}

/**
 * Finds a stream that was held back: generating the rest of the completion took time, and yet all events arrived
 * together at the end. Undefined if the events arrived over time, or if the target is too fast to measure.
 */
export function findHeldBack(pair: Pair): Deviation | undefined {
  const { events } = pair.long
  const growth = growthMs(pair)
  if (growth < MIN_GROWTH_MS || events.length < MIN_EVENTS) return undefined
  const spread = lastMs(pair.long) - (events[0]?.atMs ?? 0)
  if (spread >= growth * MIN_SPREAD_SHARE) return undefined
  return {
    code: 'stream-held-back',
    params: {
      events: events.length,
      spreadMs: Math.ceil(spread),
      totalMs: Math.round(lastMs(pair.long)),
      growthMs: Math.round(growth),
    },
  }
}

function seeEvents(pair: Pair): Seen {
  const events = pair.long.events.length
  const isTelling = growthMs(pair) >= MIN_GROWTH_MS && events >= MIN_EVENTS
  // Omits times that prove nothing, so that two runs give the same report.
  return { kind: 'event-times', events, ...(isTelling ? { overMs: Math.ceil(lastMs(pair.long)) } : {}) }
}

const STREAM_PROGRESS: Expectation = { rule: 'stream-progress' }

const CONSEQUENCE =
  'nobody sees the reply grow: clients show a spinner until the end, and idle time-outs cut long replies off'

export const streamProgress = defineCheck({
  id: '4.2/stream-progress',
  requirement: '4.2/stream-pace',
  title: 'sends the events of a stream as the completion is made, not all at its end',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: { requests: 4, chatTokens: 2 * (FEW_TOKENS + MANY_TOKENS) + 4 * PROMPT_TOKENS },
  alone: true,
  async run(context) {
    let pair = await requestPair(context)
    // A queue before one response looks the same, so the finding must repeat.
    if (findHeldBack(pair) !== undefined) pair = await requestPair(context)
    const unserved = expect.served(pair.short) ? pair.long : pair.short
    const outcome = expect.keeps(unserved, STREAM_PROGRESS, () => findHeldBack(pair), CONSEQUENCE)
    return outcome.verdict === 'pass' ? expect.passed(STREAM_PROGRESS, seeEvents(pair)) : outcome
  },
})

export const paceChecks: readonly Check[] = [streamProgress]
