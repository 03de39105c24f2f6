import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Check, type CheckContext, defineCheck } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import type { Deviation, Expectation, Outcome } from '../outcomes/outcome.ts'
import { type ArrivalPattern, findArrivalPattern } from './arrival-pattern.ts'
import { TRUNCATING_MAX_TOKENS, buildLongCompletion } from './long-completion.ts'

/** `max_tokens` of a stream that fills a small buffer several times. */
const MANY_TOKENS = 128
/** `max_tokens` of a stream that fills a large buffer several times. */
const MAX_TOKENS = 1024
/** Minimum tokens of a longer stream. With fewer tokens, a large buffer might not release two bursts. */
const MIN_LONGER_TOKENS = 320
/** Target duration of a longer stream, in milliseconds. */
const LONGER_STREAM_MS = 10_000
/** Interval between measurements of the event loop delay, in milliseconds. */
const RESOLUTION_MS = 10
/** Maximum prompt tokens of one stream. */
const PROMPT_TOKENS = 112

/**
 * Minimum delay of a stream compared with the same completion without `stream`. A smaller delay could be network noise.
 */
const MIN_DELAY_MS = 500
/** Minimum difference between the durations of short and long streams that shows a dependence on their length. */
const MIN_GROWTH_MS = 100
/** Number of additional streams of each length. */
const COMPARISONS = 3
/**
 * Minimum number of short streams and of long streams. The probability that three long streams all take longer than six
 * short streams by chance is 1 in 84.
 */
const MIN_OF_EACH_LENGTH = 3
/** Minimum ratio of the number of events of a long stream to that of the shortest stream. */
const MIN_LONG_RATIO = 2.5
/** Maximum number of additional streams after a stream with an unclear pattern. */
const MAX_UNCLEAR = 2

/**
 * Maximum fraction of a stream's duration in which this process may be stalled. Events that arrive during a stall are
 * read together, which looks like a burst.
 */
const MAX_STALLED_SHARE = 0.5
/** Minimum fraction of a pause that a stall of this process must cover to count as its cause. */
const MIN_STALL_OF_PAUSE = 0.5
/** Maximum number of streams that the check repeats because this process was stalled. */
const MAX_REPEATS = 2

/**
 * Maximum number of streams without repeats: one of each of two lengths, one short stream, and two for each comparison.
 */
const MAX_STREAMS = 3 + 2 * COMPARISONS

/** Number of requests that compare streams with completions without streaming. */
const AGAINST_PLAIN = 4

/** A measured stream, with the stalls of this process while it read the stream. */
interface Sample {
  readonly response: Exchange
  readonly pattern: ArrivalPattern
  /** Fraction of the stream's duration in which this process was stalled and could not read. */
  readonly stalledShare: number
  /** Duration of the longest stall, in milliseconds. */
  readonly longestStallMs: number
}

interface Target {
  stream(maxTokens: number): Promise<Sample>
  /** Sends the same request without `stream`. */
  plain(maxTokens: number): Promise<Exchange>
}

const STREAM_PROGRESS: Expectation = { rule: 'stream-progress' }

const CONSEQUENCE =
  'clients show nothing for a while, then a block of text, and idle timeouts cut off long responses: turn off response buffering in the proxy before the service (nginx: "proxy_buffering off", haproxy: "option http-no-delay"; see docs/buffered-streams.md for other proxies)'

const UNCLEAR = expect.markNotTestable({ code: 'no-evidence', params: { missing: 'event-times' } })

export const streamProgressCheck = defineCheck({
  id: '4.2/stream-progress',
  requirement: '4.2/stream-pace',
  title: 'sends the events of a stream during the generation, not in bursts or at its end',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: {
    requests: MAX_STREAMS + AGAINST_PLAIN + MAX_REPEATS,
    chatTokens:
      (1 + COMPARISONS) * (TRUNCATING_MAX_TOKENS + MANY_TOKENS) +
      AGAINST_PLAIN * TRUNCATING_MAX_TOKENS +
      (1 + MAX_REPEATS) * MAX_TOKENS +
      (MAX_STREAMS + AGAINST_PLAIN + MAX_REPEATS) * PROMPT_TOKENS,
  },
  alone: true,
  run(context) {
    let repeats = 0
    return evaluateStreamProgress({
      async stream(maxTokens) {
        let sample = await sendStream(context, maxTokens)
        while (isUnreliable(sample) && repeats < MAX_REPEATS) {
          repeats += 1
          sample = await sendStream(context, maxTokens)
        }
        return sample
      },
      plain: (maxTokens) => context.chat({ messages: buildLongCompletion(context.nonce()), max_tokens: maxTokens }),
    })
  },
})

/** Returns whether stalls of this process may have caused the arrival pattern. */
function isUnreliable({ pattern, stalledShare, longestStallMs }: Sample): boolean {
  if (pattern.kind !== 'bursts' && pattern.kind !== 'unclear') return false
  return stalledShare > MAX_STALLED_SHARE && longestStallMs > pattern.pauseMs * MIN_STALL_OF_PAUSE
}

async function evaluateStreamProgress(target: Target): Promise<Outcome> {
  const first = await target.stream(MANY_TOKENS)
  if (!expect.isServed(first.response)) {
    return expect.checkConvention(first.response, STREAM_PROGRESS, () => undefined, CONSEQUENCE)
  }
  const isTold = first.pattern.kind === 'steady' || first.pattern.kind === 'bursts'
  if (isTold) return evaluateLength(target, MANY_TOKENS, first)
  const longerTokens = longerStreamTokens(first.pattern)
  const longer = await target.stream(longerTokens)
  const areTogether = first.pattern.kind === 'together' && longer.pattern.kind === 'together'
  if (!areTogether) return evaluateLength(target, longerTokens, longer)
  const short = await target.stream(TRUNCATING_MAX_TOKENS)
  const samples = [short, first, longer]
  const heldBack = takeLonger(samples, 1) ? await evaluateBufferedStreams(target, longer, samples) : undefined
  return heldBack ?? evaluateAgainstPlain(target, first)
}

/**
 * Evaluates streams whose events arrive together, after a duration that does not depend on their length. A buffer that
 * releases events at fixed times could cause this. The outcome is a warning if the same request without `stream` always
 * completes much sooner.
 */
async function evaluateAgainstPlain(target: Target, first: Sample): Promise<Outcome> {
  if (first.pattern.firstMs < MIN_DELAY_MS) return UNCLEAR
  const plain = await target.plain(TRUNCATING_MAX_TOKENS)
  if (!isLater(first, plain)) return UNCLEAR
  const stream = await target.stream(TRUNCATING_MAX_TOKENS)
  const plainAgain = await target.plain(TRUNCATING_MAX_TOKENS)
  const streamAgain = await target.stream(TRUNCATING_MAX_TOKENS)
  const plains = [plain, plainAgain]
  const areHeldBack = [stream, streamAgain].every((sample) => plains.every((one) => isLater(sample, one)))
  if (!areHeldBack) return UNCLEAR
  const { events, firstMs, lastMs } = streamAgain.pattern
  return expect.warn(
    STREAM_PROGRESS,
    {
      code: 'stream-later-than-plain',
      params: {
        events,
        spreadMs: Math.ceil(lastMs - firstMs),
        totalMs: Math.round(lastMs),
        plainMs: Math.round(Math.max(...plains.map(({ totalMs }) => totalMs))),
      },
    },
    CONSEQUENCE,
  )
}

/** Returns whether all events arrived together, and much later than the whole completion without `stream`. */
function isLater({ response, pattern: { kind, firstMs } }: Sample, plain: Exchange): boolean {
  const areServed = expect.isServed(response) && expect.isServed(plain)
  return areServed && kind === 'together' && firstMs - plain.totalMs >= MIN_DELAY_MS
}

/**
 * Evaluates streams of one length. A single burst may come from a queue in front of the target, so a pattern must occur
 * in two streams. A steady first stream is sufficient.
 */
async function evaluateLength(target: Target, maxTokens: number, first: Sample): Promise<Outcome> {
  if (first.pattern.kind === 'steady') return passed(first)
  const seen: Record<'steady' | 'bursts', Sample[]> = { steady: [], bursts: [] }
  let unclear = 0
  for (let sample = first; unclear <= MAX_UNCLEAR; sample = await target.stream(maxTokens)) {
    const { kind } = sample.pattern
    if (kind === 'steady' || kind === 'bursts') seen[kind].push(sample)
    else unclear += 1
    const [steady, steadyAgain] = seen.steady
    const [bursts, burstsAgain] = seen.bursts
    if (steady !== undefined && (steadyAgain !== undefined || bursts === undefined)) return passed(steady)
    if (bursts !== undefined && burstsAgain !== undefined) return warnedOfBursts([bursts, burstsAgain])
  }
  return UNCLEAR
}

/**
 * Evaluates streams whose events arrive together: the target either generated the events together or buffered them. If
 * longer completions always take longer, the target buffered them.
 * @returns undefined if longer completions do not always take longer
 */
async function evaluateBufferedStreams(
  target: Target,
  longer: Sample,
  before: readonly Sample[],
): Promise<Outcome | undefined> {
  const samples = [...before]
  for (let compared = 0; compared < COMPARISONS; compared += 1) {
    samples.push(await target.stream(MANY_TOKENS), await target.stream(TRUNCATING_MAX_TOKENS))
    if (!takeLonger(samples, 1)) return undefined
  }
  if (!takeLonger(samples, MIN_OF_EACH_LENGTH)) return undefined
  const { events, firstMs, lastMs } = longer.pattern
  return expect.warn(
    STREAM_PROGRESS,
    {
      code: 'stream-held-back',
      params: {
        events,
        spreadMs: Math.ceil(lastMs - firstMs),
        totalMs: Math.round(lastMs),
        growthMs: Math.round(lastMs - slowestOf(splitByLength(samples).shorts)),
      },
    },
    CONSEQUENCE,
  )
}

/**
 * Returns whether the events of each stream arrived together, and every long stream took longer than every short
 * stream.
 * @param minimum required number of streams of each length
 */
function takeLonger(samples: readonly Sample[], minimum: number): boolean {
  const areTogether = samples.every(
    ({ response, pattern: { kind } }) => expect.isServed(response) && kind === 'together',
  )
  const { shorts, longs } = splitByLength(samples)
  const fastestMs = Math.min(...longs.map(({ pattern: { lastMs } }) => lastMs))
  const isEnough = Math.min(shorts.length, longs.length) >= minimum
  return areTogether && isEnough && fastestMs - slowestOf(shorts) >= MIN_GROWTH_MS
}

/**
 * Splits streams into short and long ones by their number of events, because a completion may end long before
 * `max_tokens`.
 */
function splitByLength(samples: readonly Sample[]): { readonly shorts: Sample[]; readonly longs: Sample[] } {
  const fewest = Math.min(...samples.map(({ pattern: { events } }) => events))
  const isLong = ({ pattern: { events } }: Sample): boolean => events >= MIN_LONG_RATIO * fewest
  return { shorts: samples.filter((sample) => !isLong(sample)), longs: samples.filter(isLong) }
}

function slowestOf(samples: readonly Sample[]): number {
  return Math.max(...samples.map(({ pattern: { lastMs } }) => lastMs))
}

function passed({ pattern: { events, firstMs, lastMs } }: Sample): Outcome {
  return expect.pass(STREAM_PROGRESS, { kind: 'event-times', events, overMs: Math.ceil(lastMs - firstMs) })
}

function warnedOfBursts(samples: readonly [Sample, Sample]): Outcome {
  if (samples.some(isUnreliable)) return UNCLEAR
  const { events, groups, pauseMs, lastMs } = samples[1].pattern
  const deviation: Deviation = {
    code: 'stream-in-bursts',
    params: { events, bursts: groups, pauseMs: Math.round(pauseMs), totalMs: Math.round(lastMs) },
  }
  return expect.warn(STREAM_PROGRESS, deviation, CONSEQUENCE)
}

/** Returns the `max_tokens` for a stream of about `LONGER_STREAM_MS`, based on the measured speed. */
function longerStreamTokens({ lastMs }: ArrivalPattern): number {
  const affordable = Math.round((LONGER_STREAM_MS / Math.max(lastMs, 1)) * MANY_TOKENS)
  return Math.min(MAX_TOKENS, Math.max(MIN_LONGER_TOKENS, affordable))
}

async function sendStream(context: CheckContext, maxTokens: number): Promise<Sample> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const response = await context.chat({
    messages: buildLongCompletion(context.nonce()),
    max_tokens: maxTokens,
    stream: true,
  })
  delay.disable()
  const pattern = findArrivalPattern(isReadAsItArrives(response) ? response.events : [])
  const isMeasured = delay.count > 0
  const stalledMs = isMeasured ? delay.count * (delay.mean / 1e6 - RESOLUTION_MS) : 0
  return {
    response,
    pattern,
    stalledShare: stalledMs / Math.max(pattern.lastMs, 1),
    longestStallMs: isMeasured ? delay.max / 1e6 - RESOLUTION_MS : 0,
  }
}

/** Returns false for a compressed stream, which clients can decompress only at its end. */
function isReadAsItArrives(response: Exchange): boolean {
  return expect.isServed(response) && (response.headers['content-encoding'] ?? 'identity') === 'identity'
}

export const streamTimingChecks: readonly Check[] = [streamProgressCheck]
