import { expect, test } from 'vitest'
import type { CheckContext } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import { findHeldBack, streamProgress } from './4.2-stream-pace.ts'
import { scriptedContext, scriptedExchange } from './scripted-context.ts'

const AS_STREAM = { 'content-type': 'text/event-stream' }

/** A stream whose events arrive at these times, in milliseconds. */
function stream(timesMs: readonly number[]): Exchange {
  const exchange = scriptedExchange({ status: 200, headers: AS_STREAM })
  return { ...exchange, events: timesMs.map((atMs) => ({ atMs, data: '{}' })), totalMs: timesMs.at(-1) ?? 0 }
}

const evenly = (fromMs: number, toMs: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => fromMs + ((toMs - fromMs) * index) / (count - 1))

test.each([
  ['as tokens are generated', stream(evenly(300, 500, 16)), stream(evenly(300, 4000, 256)), undefined],
  ['in a few large pieces', stream(evenly(300, 500, 2)), stream(evenly(1000, 4000, 4)), undefined],
  [
    'all at the end',
    stream(evenly(500, 501, 16)),
    stream(evenly(4000, 4010, 256)),
    { events: 256, spreadMs: 10, totalMs: 4010, growthMs: 3509 },
  ],
  [
    'late and quickly, like those of a short completion',
    stream([2000, 2010]),
    stream(evenly(2000, 2100, 256)),
    undefined,
  ],
  ['too quickly to measure', stream([1, 1]), stream(evenly(400, 400, 256)), undefined],
  ['in too few events', stream([1]), stream([4000, 4000, 4000]), undefined],
] as const)('detects whether a stream was held back, for events %s', (_name, short, long, found) => {
  const deviation = found === undefined ? undefined : { code: 'stream-held-back', params: found }
  expect(findHeldBack({ short, long })).toEqual(deviation)
})

/** Responds in turn with a short and a long stream, and repeats the last pair. */
function contextOf(...exchanges: readonly Exchange[]): CheckContext {
  let requests = 0
  const chat = () => {
    const index = Math.min(requests, exchanges.length - 2 + (requests % 2))
    requests += 1
    return Promise.resolve(exchanges[index] ?? stream([]))
  }
  return { ...scriptedContext(() => ({ status: 200 })), chat }
}

const HELD_BACK = [stream([500]), stream(evenly(4000, 4010, 256))] as const
const IN_TIME = [stream([500]), stream(evenly(500, 4000, 256))] as const

test('warns about a held-back stream only when a second pair of streams confirms it', async () => {
  const twice = await streamProgress.run(contextOf(...HELD_BACK))
  expect(twice).toMatchObject({ verdict: 'warn', code: 'stream-held-back', params: { events: 256 } })
  const once = await streamProgress.run(contextOf(...HELD_BACK, ...IN_TIME))
  expect(once).toMatchObject({
    verdict: 'pass',
    params: { seen: { kind: 'event-times', events: 256, overMs: 4000 } },
  })
})

test('passes a stream that is too fast to measure, and reports its events', async () => {
  const { verdict, params } = await streamProgress.run(contextOf(stream([1]), stream(evenly(2, 3, 9))))
  expect({ verdict, params }).toEqual({ verdict: 'pass', params: { seen: { kind: 'event-times', events: 9 } } })
})
