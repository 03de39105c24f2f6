import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { FEW_TOKENS, LONG_ANSWER } from './long-answer.ts'

/** The default of the document, which each target allows. */
const MANY_TOKENS = 256
/** More than the prompt of a long answer has. */
const PROMPT_TOKENS = 112

/** Below this, what more tokens took cannot be told from the noise of a network. */
const LEAST_GROWTH_MS = 500
/** A stream that is held back arrives in one write. */
const LEAST_SPREAD_SHARE = 0.25
const LEAST_EVENTS = 4

/** A short and a long answer to the same question, as streams. */
interface Pair {
  readonly short: Exchange
  readonly long: Exchange
}

async function askForPair({ chat }: CheckContext): Promise<Pair> {
  const ask = (tokens: number) => chat({ messages: LONG_ANSWER, max_tokens: tokens, stream: true })
  return { short: await ask(FEW_TOKENS), long: await ask(MANY_TOKENS) }
}

/** What more tokens took, by the target's own measure, in milliseconds. */
function growthMs({ short, long }: Pair): number {
  return lastMs(long) - lastMs(short)
}

function lastMs({ events, totalMs }: Exchange): number {
  return events.at(-1)?.atMs ?? totalMs
}

/**
 * Says how a stream was held back: making the rest of the answer took time, and yet all events came together at the end.
 * Nothing where the target is too quick to tell, or where the events came as they were made.
 */
export function heldBack(pair: Pair): string | undefined {
  const { events } = pair.long
  const growth = growthMs(pair)
  if (growth < LEAST_GROWTH_MS || events.length < LEAST_EVENTS) return undefined
  const spread = lastMs(pair.long) - (events[0]?.atMs ?? 0)
  if (spread >= growth * LEAST_SPREAD_SHARE) return undefined
  const seconds = (lastMs(pair.long) / 1000).toFixed(1)
  return `all ${events.length} events came within ${Math.ceil(spread)} ms, after ${seconds} s, of which the length of the answer took ${Math.round(growth)} ms`
}

function describe(pair: Pair): string {
  const events = `${pair.long.events.length} events`
  const isTelling = growthMs(pair) >= LEAST_GROWTH_MS && pair.long.events.length >= LEAST_EVENTS
  // Without times where they tell nothing, so that two runs give the same report.
  return isTelling ? `${events} over ${Math.ceil(lastMs(pair.long))} ms, one by one` : `${events}, too quickly to tell`
}

export const streamProgress = defineCheck({
  id: '4.2/stream-progress',
  requirement: '4.2/stream-pace',
  title: 'the events of a stream arrive as the answer is made, not all at its end',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: { requests: 4, chatTokens: 2 * (FEW_TOKENS + MANY_TOKENS) + 4 * PROMPT_TOKENS },
  alone: true,
  async run(context) {
    const expected = 'events over the time that the answer takes'
    const consequence =
      'nobody sees the answer grow: clients show a spinner until the end, and idle time-outs cut long answers off'
    let pair = await askForPair(context)
    // A queue before one answer looks the same: only what shows twice counts.
    if (heldBack(pair) !== undefined) pair = await askForPair(context)
    const unserved = expect.served(pair.short) ? pair.long : pair.short
    const outcome = expect.keeps(unserved, expected, () => heldBack(pair), consequence)
    return outcome.verdict === 'pass' ? { ...outcome, actual: describe(pair) } : outcome
  },
})

export const paceChecks: readonly Check[] = [streamProgress]
