import { expect, test } from 'vitest'
import type { CheckContext } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import { streamProgressCheck } from './stream-timing.ts'
import { createScriptedContext, createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'

const STREAM_HEADERS = { 'content-type': 'text/event-stream' }

/** Builds a stream whose events arrive at these times, in milliseconds. */
function stream(timesMs: readonly number[]): Exchange {
  const exchange = createScriptedExchange({ status: 200, headers: STREAM_HEADERS })
  return { ...exchange, events: timesMs.map((atMs) => ({ atMs, data: '{}' })), totalMs: timesMs.at(-1) ?? 0 }
}

function plain(totalMs: number): Exchange {
  const body = '{"object":"chat.completion"}'
  const exchange = createScriptedExchange(
    { status: 200, body },
    { method: 'POST', path: '/v1/chat/completions', headers: {} },
  )
  return { ...exchange, totalMs }
}

/**
 * Creates a context whose target streams events at the times that `timesOf` returns, in milliseconds. `requested`
 * contains the `max_tokens` of each stream. The durations of non-streaming completions cycle through `plainMs`.
 */
function contextOf(
  timesOf: (maxTokens: number, request: number) => readonly number[] | Exchange,
  { plainMs = [6000] }: { readonly plainMs?: readonly number[] } = {},
) {
  const requested: number[] = []
  let plains = 0
  const chat: CheckContext['chat'] = (fields = {}) => {
    const maxTokens = Number(fields['max_tokens'])
    if (fields['stream'] !== true) return Promise.resolve(plain(plainMs[plains++ % plainMs.length] ?? 0))
    requested.push(maxTokens)
    const response = timesOf(maxTokens, requested.length)
    return Promise.resolve('status' in response ? response : stream(response))
  }
  return { requested, context: { ...createScriptedContext(() => ({ status: 200 })), chat } }
}

const counted = (tokens: number): number[] => Array.from({ length: tokens }, (_, index) => index + 1)
const oneByOne = (tokens: number, gapMs = 20) => counted(tokens).map((token) => 300 + token * gapMs)
/** Returns the times of events that a buffer releases in groups of `size`. */
const inBursts = (tokens: number, size = 20) =>
  counted(tokens).map((token) => 300 + Math.min(tokens, Math.ceil(token / size) * size) * 20)
/** Returns the times of events that all arrive at the end of a completion with 20 ms per token. */
const atTheEnd = (tokens: number) => counted(tokens).map(() => 300 + tokens * 20)
const atOnce = (tokens: number, atMs: number) => counted(tokens).map(() => atMs)

test('passes a stream whose events arrive one by one, after a single request', async () => {
  const { requested, context } = contextOf((tokens) => oneByOne(tokens))
  const params = { seen: { kind: 'event-times', events: 128, overMs: 2540 } }
  expect(await streamProgressCheck.run(context)).toMatchObject({ verdict: 'pass', params })
  expect(requested).toEqual([128])
})

test('warns if two streams arrive in bursts', async () => {
  const { requested, context } = contextOf((tokens) => inBursts(tokens))
  const params = { events: 128, bursts: 7, pauseMs: 400, totalMs: 2860 }
  expect(await streamProgressCheck.run(context)).toMatchObject({ verdict: 'warn', code: 'stream-in-bursts', params })
  expect(requested).toEqual([128, 128])
})

test('requests a third stream if the patterns of two streams differ', async () => {
  const bursts = (odd: boolean) => (tokens: number, request: number) =>
    (request % 2 === 1) === odd || request === 1 ? inBursts(tokens) : oneByOne(tokens)
  const repeated = contextOf(bursts(true))
  expect(await streamProgressCheck.run(repeated.context)).toMatchObject({ verdict: 'warn', code: 'stream-in-bursts' })
  const single = contextOf((tokens, request) => (request === 1 ? inBursts(tokens) : oneByOne(tokens)))
  expect(await streamProgressCheck.run(single.context)).toMatchObject({ verdict: 'pass' })
  expect([repeated.requested, single.requested]).toEqual([
    [128, 128, 128],
    [128, 128, 128],
  ])
})

test('names the remedy if streams arrive in bursts and at once in turn', async () => {
  const { context } = contextOf((tokens, request) => (request === 2 ? inBursts(tokens) : atOnce(tokens, 50)))
  expect(await streamProgressCheck.run(context)).toMatchObject({ params: { missing: 'certain-bursts' } })
})

test('requests longer streams if a buffer may contain an entire short stream', async () => {
  const { requested, context } = contextOf((tokens) => inBursts(tokens, 160))
  expect(await streamProgressCheck.run(context)).toMatchObject({ verdict: 'warn', code: 'stream-in-bursts' })
  expect(requested).toEqual([128, 448, 448])
})

test('warns about streams that arrive at their end if longer completions always take longer', async () => {
  const { requested, context } = contextOf((tokens) => atTheEnd(tokens))
  const outcome = await streamProgressCheck.run(context)
  expect(outcome).toMatchObject({
    verdict: 'warn',
    code: 'stream-held-back',
    params: { events: 128, spreadMs: 0, totalMs: 2860, growthMs: 2540 },
  })
  expect(outcome.exchange?.events).toHaveLength(128)
  expect(outcome.consequence).toContain('proxy_buffering off')
  expect(requested).toEqual([128, 448, 1, 128, 1, 128, 1, 128, 1, 128, 1, 128])
})

test('warns about streams that a buffer releases at a fixed time, long after a non-streaming completion ends', async () => {
  const { requested, context } = contextOf((tokens) => atOnce(tokens, 2000), { plainMs: [600] })
  expect(await streamProgressCheck.run(context)).toMatchObject({
    verdict: 'warn',
    code: 'stream-later-than-plain',
    params: { events: 16, spreadMs: 0, totalMs: 2000, plainMs: 600 },
  })
  expect(requested).toEqual([128, 640, 1, 128, 1, 16, 16, 16, 16])
})

test('compares streams with non-streaming completions if longer streams do not always take longer', async () => {
  const { context } = contextOf((tokens, nth) => atOnce(tokens, nth < 3 ? 2150 : 2000), { plainMs: [600] })
  expect(await streamProgressCheck.run(context)).toMatchObject({ verdict: 'warn', code: 'stream-later-than-plain' })
})

test('does not warn about late streams if the durations vary more than the delay', async () => {
  const varied = (tokens: number, nth: number) => atOnce(tokens, tokens === 16 && nth % 2 === 0 ? 4600 : 2600)
  const { context } = contextOf(varied, { plainMs: [2000, 600] })
  expect(await streamProgressCheck.run(context)).toMatchObject(UNCLEAR)
  const steady = contextOf((tokens) => atOnce(tokens, 2600), { plainMs: [2000, 1800] })
  expect(await streamProgressCheck.run(steady.context)).toMatchObject({ code: 'stream-later-than-plain' })
})

test('compares four pairs of a stream and a non-streaming completion', async () => {
  const { requested, context } = contextOf((tokens) => atOnce(tokens, 2600), { plainMs: [600, 600, 600, 2600] })
  expect(await streamProgressCheck.run(context)).toMatchObject(UNCLEAR)
  expect(requested.filter((tokens) => tokens === 16)).toHaveLength(3)
})

test('does not warn about a single delayed stream', async () => {
  const late = (tokens: number, request: number) => atOnce(tokens, request < 4 ? 2000 : 700)
  const { context } = contextOf(late, { plainMs: [600] })
  expect(await streamProgressCheck.run(context)).toMatchObject(UNCLEAR)
})

test('warns about short completions that arrive at their end, even if max_tokens allows longer ones', async () => {
  // Events that all arrive at once, for completions of at most 60 tokens. The TTFT varies between streams.
  const short = (tokens: number, nth: number) => atOnce(tokens, 100 + 40 * (nth % 4) + 6 * Math.min(tokens, 60))
  expect(await streamProgressCheck.run(contextOf(short).context)).toMatchObject({
    verdict: 'warn',
    code: 'stream-held-back',
  })
  // Like `short`, but two of the streams end after 19 tokens, long before `max_tokens`.
  const ending = (tokens: number, nth: number) => short(nth === 4 || nth === 6 ? Math.min(tokens, 19) : tokens, nth)
  expect(await streamProgressCheck.run(contextOf(ending).context)).toMatchObject({ code: 'stream-held-back' })
})

/** Times to first token, in milliseconds, that vary as much as those of real targets. */
const TTFT_MS = [900, 300, 1100, 250, 400, 700, 350, 1300, 300, 500, 450, 600, 800, 350]
/** Numbers of tokens after which completions end if `max_tokens` allows it. */
const LENGTHS = [57, 83, 80, 24, 90, 60, 83, 27, 60, 110, 70, 35, 60, 55]

test('warns about streams that arrive at their end, although the times to first token vary more than one completion takes', async () => {
  const natural = (tokens: number, nth: number) => {
    const length = Math.min(tokens, LENGTHS[nth - 1] ?? 60)
    return atOnce(length, (TTFT_MS[nth - 1] ?? 500) + 20 * length)
  }
  expect(await streamProgressCheck.run(contextOf(natural).context)).toMatchObject({
    verdict: 'warn',
    code: 'stream-held-back',
    params: { events: 110 },
  })
})

test('does not warn about streams that arrive at once after times that do not depend on their lengths', async () => {
  const independent = (tokens: number, nth: number) =>
    atOnce(Math.min(tokens, LENGTHS[nth - 1] ?? 60), (TTFT_MS[nth - 1] ?? 500) + 400)
  const { requested, context } = contextOf(independent)
  expect(await streamProgressCheck.run(context)).toMatchObject(UNCLEAR)
  expect(requested.length).toBeLessThanOrEqual(18)
})

test('does not warn about a target whose first two responses are slow', async () => {
  const durationsMs = [8000, 8000, 750, 900, 750, 1050, 500, 1100, 650, 2100, 1000, 700, 500, 1650, 550, 600, 700, 1550]
  const { context } = contextOf((tokens, nth) => atOnce(Math.min(tokens, 130), durationsMs[nth - 1] ?? 0))
  expect(await streamProgressCheck.run(context)).toMatchObject(UNCLEAR)
})

test('does not warn about streams that end later only because of their position in the run', async () => {
  const { context } = contextOf((tokens, nth) => atOnce(tokens, 3000 - 200 * nth))
  expect(await streamProgressCheck.run(context)).toMatchObject(UNCLEAR)
})

test('warns about bursts in two streams of different length, between streams that fit into a buffer', async () => {
  const long = new Set([2, 7])
  const { context } = contextOf((tokens, nth) =>
    long.has(nth) ? inBursts(tokens, 60) : atTheEnd(Math.min(tokens, LENGTHS[nth - 1] ?? 60)),
  )
  expect(await streamProgressCheck.run(context)).toMatchObject({ verdict: 'warn', code: 'stream-in-bursts' })
})

test('is inconclusive for buffered streams if the events of one stream arrive one by one', async () => {
  const { context } = contextOf((tokens, nth) => (nth === 4 ? oneByOne(tokens) : atTheEnd(tokens)))
  expect(await streamProgressCheck.run(context)).toMatchObject(UNCLEAR)
})

test('requests 16 tokens if the target rejects max_tokens 1', async () => {
  const { requested, context } = contextOf((tokens) =>
    tokens === 1 ? createScriptedExchange({ status: 400 }) : atTheEnd(tokens),
  )
  expect(await streamProgressCheck.run(context)).toMatchObject({ verdict: 'warn', code: 'stream-held-back' })
  expect(requested.filter((tokens) => tokens === 1)).toHaveLength(1)
})

test('requests further streams if one of several streams in bursts is unclear', async () => {
  const few = [400, 800, 1200]
  const { requested, context } = contextOf((tokens, nth) => (nth === 2 || nth === 3 ? few : inBursts(tokens)))
  expect(await streamProgressCheck.run(context)).toMatchObject({ verdict: 'warn', code: 'stream-in-bursts' })
  expect(requested).toEqual([128, 128, 128, 128])
  const mostly = contextOf((tokens, nth) => (nth === 1 ? inBursts(tokens) : few))
  expect(await streamProgressCheck.run(mostly.context)).toMatchObject({ params: { missing: 'certain-bursts' } })
})

const UNCLEAR = { verdict: 'not-testable', code: 'no-evidence', params: { missing: 'event-times' } }

test.each([
  ['is generated almost instantly after a long delay', (tokens: number) => atOnce(tokens, 6000)],
  [
    'arrives after a delay that does not depend on its length',
    (tokens: number, nth: number) => atOnce(tokens, 1000 * (nth % 3)),
  ],
  ['has few events', () => [400, 800, 1200]],
  [
    'is not served with a larger max_tokens',
    (tokens: number) => (tokens > 128 ? createScriptedExchange({ status: 400 }) : atOnce(tokens, 5)),
  ],
] as const)('does not pass a stream that %s', async (_name, timesOf) => {
  const { context } = contextOf(timesOf)
  expect(await streamProgressCheck.run(context)).toMatchObject(UNCLEAR)
})

test('observes streams that arrive so soon that a buffer would have no effect', async () => {
  const { context } = contextOf((tokens) => atOnce(tokens, 3 + tokens / 100))
  const params = { seen: { kind: 'fast-stream', events: 1024, afterMs: 14 } }
  expect(await streamProgressCheck.run(context)).toMatchObject({ verdict: 'observed', params })
})

test('passes a fast stream if a longer stream arrives steadily', async () => {
  const { requested, context } = contextOf((tokens) => oneByOne(tokens, 0.5))
  expect(await streamProgressCheck.run(context)).toMatchObject({ verdict: 'pass' })
  expect(requested).toEqual([128, 1024])
})

test('stream timing is not testable if the target does not serve the stream', async () => {
  const { context } = contextOf(() => createScriptedExchange({ status: 400 }))
  expect(await streamProgressCheck.run(context)).toMatchObject({ verdict: 'not-testable', code: 'request-not-served' })
})
