import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Check, type CheckContext, defineCheck } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import type { Deviation, Expectation, Outcome } from '../outcomes/outcome.ts'
import { type ArrivalPattern, findArrivalPattern } from './arrival-pattern.ts'
import { FEW_TOKENS, longCompletionOf } from './long-completion.ts'

/** Length of a stream that fills a small buffer several times, in tokens. */
const MANY_TOKENS = 128
/** Length of a stream that fills a large buffer several times, in tokens. */
const MAX_TOKENS = 1024
/** Lower bound of a longer stream, in tokens. With fewer tokens, a large buffer might not produce two bursts. */
const MIN_LONGER_TOKENS = 320
/** Target duration of a longer stream. */
const LONGER_STREAM_MS = 10_000
/** Interval at which the delay of the event loop is measured. */
const RESOLUTION_MS = 10
/** Upper bound of the prompt tokens of one stream. */
const PROMPT_TOKENS = 112

/** Minimum delay of a stream against the same completion without `stream`. A smaller delay could be network noise. */
const MIN_DELAY_MS = 500
/** Minimum increase of the duration of streams with the length of their completions. */
const MIN_GROWTH_MS = 100
/** Number of further streams of each length. */
const COMPARISONS = 3
/**
 * Minimum number of short and of long streams. By chance, three long streams all take longer than six short ones in 1
 * of 84 cases.
 */
const MIN_OF_EACH_LENGTH = 3
/** Minimum number of events of a long stream, as a multiple of those of the shortest stream. */
const MIN_LONG_RATIO = 2.5
/** Maximum number of further streams if the pattern of one is unclear. */
const MAX_UNCLEAR = 2

/**
 * Upper bound of the share of time in which this process may be stalled. Events that arrive during a stall are read
 * together, which looks like a burst.
 */
const MAX_STALLED_SHARE = 0.5
/** Share of a pause that a stall of this process must cover to be its likely cause. */
const MIN_STALL_OF_PAUSE = 0.5
/** Maximum number of streams that are repeated because this process was stalled. */
const MAX_REPEATS = 2

/** Maximum number of streams without repeats: one of each length, one short one, and two for each comparison. */
const MAX_STREAMS = 3 + 2 * COMPARISONS

/** Number of requests that compare streams with plain completions. */
const AGAINST_PLAIN = 4

/** One measured stream. */
interface Sample {
  readonly response: Exchange
  readonly pattern: ArrivalPattern
  /** Fraction of the duration of the stream during which this process was stalled and could not read. */
  readonly stalledShare: number
  /** Longest of these stalls. */
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

const UNCLEAR = expect.notTestable({ code: 'no-evidence', params: { missing: 'event-times' } })

export const streamProgressCheck = defineCheck({
  id: '4.2/stream-progress',
  requirement: '4.2/stream-pace',
  title: 'sends the events of a stream during the generation, not in bursts or at its end',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: {
    requests: MAX_STREAMS + AGAINST_PLAIN + MAX_REPEATS,
    chatTokens:
      (1 + COMPARISONS) * (FEW_TOKENS + MANY_TOKENS) +
      AGAINST_PLAIN * FEW_TOKENS +
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
      plain: (maxTokens) => context.chat({ messages: longCompletionOf(context.nonce()), max_tokens: maxTokens }),
    })
  },
})

/** Returns whether stalls of this process may have caused the pattern. */
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
  const short = await target.stream(FEW_TOKENS)
  const samples = [short, first, longer]
  const heldBack = takeLonger(samples, 1) ? await evaluateBufferedStreams(target, longer, samples) : undefined
  return heldBack ?? evaluateAgainstPlain(target, first)
}

/**
 * Evaluates streams whose events all arrived at once and whose duration does not depend on their length: a buffer may
 * release them at fixed times. The buffer delays the events if the target completes the same request without `stream`
 * much sooner every time.
 */
async function evaluateAgainstPlain(target: Target, first: Sample): Promise<Outcome> {
  if (first.pattern.firstMs < MIN_DELAY_MS) return UNCLEAR
  const plain = await target.plain(FEW_TOKENS)
  if (!isLater(first, plain)) return UNCLEAR
  const stream = await target.stream(FEW_TOKENS)
  const plainAgain = await target.plain(FEW_TOKENS)
  const streamAgain = await target.stream(FEW_TOKENS)
  const plains = [plain, plainAgain]
  const areHeldBack = [stream, streamAgain].every((sample) => plains.every((one) => isLater(sample, one)))
  if (!areHeldBack) return UNCLEAR
  const { events, firstMs, lastMs } = streamAgain.pattern
  return expect.warned(
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

/** Returns whether all events arrived together, considerably later than the whole completion without `stream`. */
function isLater({ response, pattern: { kind, firstMs } }: Sample, plain: Exchange): boolean {
  const areServed = expect.isServed(response) && expect.isServed(plain)
  return areServed && kind === 'together' && firstMs - plain.totalMs >= MIN_DELAY_MS
}

/**
 * Evaluates streams of one length. A queue in front of the target can look like one burst, so a pattern must occur in
 * two streams, unless the first one is steady.
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
 * Evaluates streams whose events all arrived at once. The target may have generated them at once or buffered them. They
 * were buffered if longer completions always take longer: events that are sent one by one would arrive over that time.
 * @returns undefined if they do not always take longer
 */
async function evaluateBufferedStreams(
  target: Target,
  longer: Sample,
  before: readonly Sample[],
): Promise<Outcome | undefined> {
  const samples = [...before]
  for (let compared = 0; compared < COMPARISONS; compared += 1) {
    samples.push(await target.stream(MANY_TOKENS), await target.stream(FEW_TOKENS))
    if (!takeLonger(samples, 1)) return undefined
  }
  if (!takeLonger(samples, MIN_OF_EACH_LENGTH)) return undefined
  const { events, firstMs, lastMs } = longer.pattern
  return expect.warned(
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
 * Returns whether each stream was served at once, and each longer one took longer than all short ones.
 * @param minimum lower bound of the number of streams of each length
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

/** Splits streams by their number of events, because a completion may end long before its bound. */
function splitByLength(samples: readonly Sample[]): { readonly shorts: Sample[]; readonly longs: Sample[] } {
  const fewest = Math.min(...samples.map(({ pattern: { events } }) => events))
  const isLong = ({ pattern: { events } }: Sample): boolean => events >= MIN_LONG_RATIO * fewest
  return { shorts: samples.filter((sample) => !isLong(sample)), longs: samples.filter(isLong) }
}

function slowestOf(samples: readonly Sample[]): number {
  return Math.max(...samples.map(({ pattern: { lastMs } }) => lastMs))
}

function passed({ pattern: { events, firstMs, lastMs } }: Sample): Outcome {
  return expect.passed(STREAM_PROGRESS, { kind: 'event-times', events, overMs: Math.ceil(lastMs - firstMs) })
}

function warnedOfBursts(samples: readonly [Sample, Sample]): Outcome {
  if (samples.some(isUnreliable)) return UNCLEAR
  const { events, groups, pauseMs, lastMs } = samples[1].pattern
  const deviation: Deviation = {
    code: 'stream-in-bursts',
    params: { events, bursts: groups, pauseMs: Math.round(pauseMs), totalMs: Math.round(lastMs) },
  }
  return expect.warned(STREAM_PROGRESS, deviation, CONSEQUENCE)
}

/** Returns the `max_tokens` of a stream of about `LONGER_STREAM_MS`, at the speed of the given pattern. */
function longerStreamTokens({ lastMs }: ArrivalPattern): number {
  const affordable = Math.round((LONGER_STREAM_MS / Math.max(lastMs, 1)) * MANY_TOKENS)
  return Math.min(MAX_TOKENS, Math.max(MIN_LONGER_TOKENS, affordable))
}

async function sendStream(context: CheckContext, maxTokens: number): Promise<Sample> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const response = await context.chat({
    messages: longCompletionOf(context.nonce()),
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

/** Returns false for a compressed stream, because clients decompress it only at its end. */
function isReadAsItArrives(response: Exchange): boolean {
  return expect.isServed(response) && (response.headers['content-encoding'] ?? 'identity') === 'identity'
}

export const streamTimingChecks: readonly Check[] = [streamProgressCheck]
