import { defineCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { BUFFERING_REMEDY } from '../../findings/streams.ts'
import { SMALL_MAX_TOKENS } from '../../requests/small-max-tokens.ts'
import type { ArrivalPattern } from './arrival-pattern.ts'
import { buildLongCompletion } from '../shared/long-completion.ts'
import { estimateSlope, scoreRankCorrelation } from './rank-correlation.ts'
import { describeUnclear, type Sample, sendStream, UNNOTICED_MS } from './stream-sample.ts'

/** `max_tokens` of a stream that fills a small buffer several times. */
const MANY_TOKENS = 128
/** `max_tokens` of a stream that fills a large buffer several times. */
const MAX_TOKENS = 1024
/** Minimum tokens of a longer stream. With fewer tokens, a large buffer might not release two bursts. */
const MIN_LONGER_TOKENS = 320
const LONGER_STREAM_MS = 10_000
const PROMPT_TOKENS = 112

/** Minimum delay of the first event, as a multiple of the larger range of the streams or the completions. */
const MIN_DELAY_RATIO = 0.5
/** Number of pairs of a stream and a completion. By chance, 1 of 200 runs shows a delay in all pairs. */
const PAIRS = 4
/** `max_tokens` of the short streams that are compared with long ones. Their duration is nearly the time to first token. */
const ONE_TOKEN = 1
const MIN_GROWTH_MS = 100
/** Minimum growth of streams with many events, as a multiple of the duration of the longest stream's events. */
const MIN_GROWTH_RATIO = 2
/** Number of streams at the start to omit. They are long, and a target may be slow at first. */
const OMITTED = 2
const MIN_COMPARED = 9
/** Minimum numbers of streams before the comparison stops, if all are fast or take equally long. */
const MIN_FAST = 3
const MIN_EQUAL = 5
/** Minimum rank correlation score at which more events take longer. By chance, 1 of 300 runs reaches it. */
const MIN_SCORE = 2.85
/** Minimum rank correlation score at which further streams may still show that streams with more events take longer. */
const MIN_PROMISING_SCORE = 1
/** Maximum time from the first to the last event of a stream at once although its pattern is `unclear`. */
const MAX_AT_ONCE_MS = 100
/** Maximum time from the first to the last event of a stream at once whatever its pattern. */
const MAX_FEW_AT_ONCE_MS = 20
/** Maximum number of streams with the same `max_tokens`, requested until two of them have the same clear pattern. */
const MAX_OF_EACH_LENGTH = 4

/** Maximum number of streams. After the second one, their `max_tokens` alternates. */
const MAX_STREAMS = 18
/** Maximum number of streams with `MANY_TOKENS`. */
const MAX_LONG_STREAMS = 10

/** Number of requests that compare streams with the same non-streaming completions. */
const AGAINST_PLAIN = 2 * PAIRS

interface Target {
  /** `max_tokens` of a short stream. */
  readonly smallMaxTokens: number
  stream(maxTokens: number): Promise<Sample>
  plain(maxTokens: number): Promise<Exchange>
}

const STREAM_PROGRESS: Expectation = { rule: 'stream-progress' }

const CONSEQUENCE = `clients show nothing for a while, then a block of text, and idle timeouts cut off long responses: ${BUFFERING_REMEDY}`

export const streamProgressCheck = defineCheck({
  id: '4.2/stream-progress',
  requirement: '4.2/stream-pace',
  title: 'sends the events of a stream during the generation, not in bursts or at its end',
  operation: 'chat',
  cost: {
    requests: MAX_STREAMS + AGAINST_PLAIN,
    chatTokens:
      MAX_LONG_STREAMS * MANY_TOKENS +
      AGAINST_PLAIN * SMALL_MAX_TOKENS.larger +
      MAX_OF_EACH_LENGTH * MAX_TOKENS +
      (MAX_STREAMS + AGAINST_PLAIN) * PROMPT_TOKENS,
  },
  alone: true,
  run(context) {
    return evaluateStreamProgress({
      stream: (maxTokens) => sendStream(context, maxTokens),
      smallMaxTokens: context.smallMaxTokens,
      plain: (maxTokens) => context.chat({ messages: buildLongCompletion(context.nonce()), max_tokens: maxTokens }),
    })
  },
})

async function evaluateStreamProgress(target: Target): Promise<Outcome> {
  const first = await target.stream(MANY_TOKENS)
  if (!expect.isServed(first.response)) {
    return expect.checkConvention(first.response, STREAM_PROGRESS, () => undefined, CONSEQUENCE)
  }
  let outcome: Outcome | undefined
  const samples = [first]
  if (first.pattern.kind === 'steady' || first.pattern.kind === 'bursts') {
    outcome = await evaluateLength(target, MANY_TOKENS, samples)
  } else {
    const longerTokens = longerStreamTokens(first.pattern)
    samples.push(await target.stream(longerTokens))
    outcome = samples.every(isAtOnce) ? undefined : await evaluateLength(target, longerTokens, samples)
  }
  return (
    outcome ??
    (await evaluateBufferedStreams(target, samples)) ??
    (await evaluateAgainstPlain(target, first)) ??
    describeUnclear(samples)
  )
}

/**
 * Evaluates streams whose events arrive together after a time that does not depend on their length, as from a buffer
 * with fixed release times. Warns if the same request without `stream` always completes much sooner.
 * @returns undefined otherwise
 */
async function evaluateAgainstPlain(target: Target, first: Sample): Promise<Outcome | undefined> {
  if (first.pattern.firstMs < UNNOTICED_MS) return undefined
  const streams: Sample[] = []
  const plains: Exchange[] = []
  let last = first
  while (streams.length < PAIRS) {
    plains.push(await target.plain(target.smallMaxTokens))
    // The first stream may be late only because the target has just started, so the other streams must be late, too.
    if (!areLater(streams.length === 0 ? [first] : streams, plains)) return undefined
    last = await target.stream(target.smallMaxTokens)
    streams.push(last)
    if (!areLater(streams, plains)) return undefined
  }
  const { events, firstMs, lastMs } = last.pattern
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

/** Returns whether all streams are later than all completions, by `MIN_DELAY_RATIO` of the larger range. */
function areLater(streams: readonly Sample[], plains: readonly Exchange[]): boolean {
  if (!streams.every((sample) => plains.every((plain) => isLater(sample, plain)))) return false
  const streamsMs = streams.map(({ pattern: { firstMs } }) => firstMs)
  const plainsMs = plains.map(({ totalMs }) => totalMs)
  const delayMs = Math.min(...streamsMs) - Math.max(...plainsMs)
  return delayMs >= MIN_DELAY_RATIO * Math.max(rangeOf(streamsMs), rangeOf(plainsMs))
}

function rangeOf(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values)
}

/** Returns whether all events arrived together, at least `UNNOTICED_MS` after the non-streaming response. */
function isLater({ response, pattern: { kind, firstMs } }: Sample, plain: Exchange): boolean {
  const areServed = expect.isServed(response) && expect.isServed(plain)
  return areServed && kind === 'together' && firstMs - plain.totalMs >= UNNOTICED_MS
}

/**
 * Evaluates the last sample together with further streams of the same length. A pattern must occur in two streams,
 * because a queue in front of the target can make any single stream look like a burst. The only exception is a steady
 * first stream, which is sufficient.
 * @returns undefined if the pattern remains unclear
 */
async function evaluateLength(target: Target, maxTokens: number, samples: Sample[]): Promise<Outcome | undefined> {
  const before = samples.length - 1
  while (samples.length - before <= MAX_OF_EACH_LENGTH) {
    const ofLength = samples.slice(before)
    const [steady, steadyAgain] = ofLength.filter(({ pattern: { kind } }) => kind === 'steady')
    const [bursts, burstsAgain] = ofLength.filter(isInBursts)
    if (steady !== undefined && (steadyAgain !== undefined || ofLength.length === 1)) return passed(steady)
    if (bursts !== undefined && burstsAgain !== undefined) return warnedOfBursts([bursts, burstsAgain])
    if (ofLength.length === MAX_OF_EACH_LENGTH) break
    samples.push(await target.stream(maxTokens))
  }
  return undefined
}

/**
 * Compares short and long streams whose events all arrived at once. Either the target generated these events at once,
 * or a buffer held them back. Streams that take longer the more events they have show a buffer: the target needed that
 * time to generate the events. Some long streams may still be faster than short ones, because the time to first token
 * varies and a completion may end long before its bound.
 * @returns undefined if the durations do not depend on the number of events
 */
async function evaluateBufferedStreams(target: Target, before: readonly Sample[]): Promise<Outcome | undefined> {
  const samples = [...before]
  let shortTokens = ONE_TOKEN
  let isShort = true
  while (isPromising(samples)) {
    const [bursts, burstsAgain] = samples.filter(isInBursts)
    if (bursts !== undefined && burstsAgain !== undefined) return warnedOfBursts([bursts, burstsAgain])
    const heldBack = findHeldBack(samples.slice(OMITTED))
    if (heldBack !== undefined) return heldBack
    if (samples.length === MAX_STREAMS) return undefined
    let sample = await target.stream(isShort ? shortTokens : MANY_TOKENS)
    if (isShort && shortTokens === ONE_TOKEN && !expect.isServed(sample.response)) {
      // The lower bound of `max_tokens` is unspecified, so the target may reject a single token.
      shortTokens = target.smallMaxTokens
      sample = await target.stream(shortTokens)
    }
    samples.push(sample)
    isShort = !isShort
  }
  return undefined
}

/**
 * Returns whether further streams may show that the duration depends on the number of events. They cannot if a stream
 * arrived event by event, if all streams were fast, if all took equally long, or if the correlation is low.
 */
function isPromising(samples: readonly Sample[]): boolean {
  if (!samples.every((sample) => isAtOnce(sample) || isInGroups(sample))) return false
  const durationsMs = samples.map(({ pattern: { lastMs } }) => lastMs)
  const slowestMs = Math.max(...durationsMs)
  if (samples.length >= MIN_FAST && slowestMs < MIN_GROWTH_MS) return false
  if (samples.length >= MIN_EQUAL && slowestMs - Math.min(...durationsMs) < MIN_GROWTH_MS) return false
  const compared = samples.slice(OMITTED)
  return compared.length < MIN_COMPARED || scoreRankCorrelation(pointsOf(compared)) >= MIN_PROMISING_SCORE
}

/** Returns a warning if, among the streams that arrived at once, those with more events take longer. */
function findHeldBack(samples: readonly Sample[]): Outcome | undefined {
  const compared = samples.filter(isAtOnce)
  const points = pointsOf(compared)
  if (compared.length < MIN_COMPARED || scoreRankCorrelation(points) < MIN_SCORE) return undefined
  const shortestFirst = compared.toSorted((a, b) => a.size - b.size)
  const [shortest, longest] = [shortestFirst[0], shortestFirst.at(-1)]
  if (shortest === undefined || longest === undefined) return undefined
  const { events, firstMs, lastMs } = longest.pattern
  const fastestMs = Math.min(...compared.map(({ pattern }) => pattern.lastMs))
  const growthMs = Math.min(estimateSlope(points) * (longest.size - shortest.size), lastMs - fastestMs)
  const spreadMs = lastMs - firstMs
  if (growthMs < Math.max(MIN_GROWTH_MS, MIN_GROWTH_RATIO * spreadMs)) return undefined
  const deviation: Deviation = {
    code: 'stream-held-back',
    params: {
      events,
      spreadMs: Math.ceil(spreadMs),
      totalMs: Math.round(lastMs),
      growthMs: Math.round(growthMs),
    },
  }
  return { ...expect.warn(STREAM_PROGRESS, deviation, CONSEQUENCE), exchange: longest.response }
}

function pointsOf(samples: readonly Sample[]) {
  return samples.map(({ size, pattern: { lastMs } }) => ({ x: size, y: lastMs }))
}

function isAtOnce(sample: Sample): boolean {
  const { kind, events, firstMs, lastMs } = sample.pattern
  if (!expect.isServed(sample.response) || events === 0) return false
  if (kind === 'together' || lastMs - firstMs < MAX_FEW_AT_ONCE_MS) return true
  return isInGroups(sample) && kind === 'unclear' && lastMs - firstMs < MAX_AT_ONCE_MS
}

function isInGroups({ response, pattern: { kind, events, groups } }: Sample): boolean {
  return expect.isServed(response) && kind !== 'steady' && groups * 2 <= events
}

function isInBursts({ pattern: { kind } }: Sample): boolean {
  return kind === 'bursts'
}

function passed({ pattern: { events, firstMs, lastMs } }: Sample): Outcome {
  return expect.pass(STREAM_PROGRESS, { kind: 'event-times', events, overMs: Math.ceil(lastMs - firstMs) })
}

function warnedOfBursts(samples: readonly [Sample, Sample]): Outcome {
  const { events, groups, pauseMs, lastMs } = samples[1].pattern
  const deviation: Deviation = {
    code: 'stream-in-bursts',
    params: { events, bursts: groups, pauseMs: Math.round(pauseMs), totalMs: Math.round(lastMs) },
  }
  return { ...expect.warn(STREAM_PROGRESS, deviation, CONSEQUENCE), exchange: samples[1].response }
}

/** Returns the `max_tokens` for a stream of about `LONGER_STREAM_MS`, based on the measured speed. */
function longerStreamTokens({ lastMs }: ArrivalPattern): number {
  const affordable = Math.round((LONGER_STREAM_MS / Math.max(lastMs, 1)) * MANY_TOKENS)
  return Math.min(MAX_TOKENS, Math.max(MIN_LONGER_TOKENS, affordable))
}
