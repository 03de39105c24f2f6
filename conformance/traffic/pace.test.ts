import { expect, test } from 'vitest'
import type { PacedKeyRole } from './lane.ts'
import { Pace } from './pace.ts'
import {
  bucket,
  fixedWindow,
  OK,
  parallel,
  type Response,
  slidingWindow,
  type Target,
} from './testing/limited-targets.ts'
import { VirtualClock } from './testing/virtual-clock.ts'

/** Network delay between client and target, in milliseconds. */
const NETWORK_DELAY_MS = 5

interface SendOptions {
  readonly count?: number
  /** Number of served requests after which the test stops. Default: `count`. */
  readonly until?: number
  /** Maximum requests per minute, set by the tester. */
  readonly rate?: number
  /** Keys of the requests, in turn. */
  readonly keys?: readonly PacedKeyRole[]
  readonly concurrency?: number
}

/** Sends requests of 80 tokens each through the pacer until the target has served `until` of them. */
async function sendAll(
  { tookMs, receive }: Target,
  { count = 400, until = count, rate, keys = ['funded'], concurrency = 8 }: SendOptions = {},
) {
  const clock = new VirtualClock()
  const pace = new Pace(rate, clock, new AbortController().signal)
  let [left, rejected, unsent, sent] = [count, 0, 0, 0]
  pace.requestsLeft = () => left
  const send = async (key: PacedKeyRole): Promise<void> => {
    for (let rejections = 0; ; rejections += 1) {
      const turn = await pace.waitForPermit({ key, tokens: 80, rejections })
      if (turn === undefined) {
        unsent += 1
        return
      }
      sent += 1
      await clock.wait(NETWORK_DELAY_MS / 2)
      const [response, done] = receive(clock.nowMs(), 80)
      if (response.status !== 429) await clock.wait(tookMs)
      done?.()
      await clock.wait(NETWORK_DELAY_MS / 2)
      turn.end(response)
      if (response.status !== 429) return
      rejected += 1
    }
  }
  const work = async (): Promise<void> => {
    while (left > count - until) {
      left -= 1
      await send(keys[left % keys.length] ?? 'funded')
    }
  }
  await clock.run(Promise.all(Array.from({ length: concurrency }, work)))
  return { seconds: Math.round(clock.nowMs() / 1000), rejectedShare: rejected / sent, unsent, pace }
}

const minute = { perMinute: 60, capacity: 10 }
const fast = { perMinute: 240, capacity: 1 }
const bare = { hasHeaders: false, hasRetryAfter: false } as const
const window60 = { perMinute: 60, capacity: 60 }
const window5 = { perMinute: 720, capacity: 60, windowMs: 5000 }
const tokens = { perMinute: 20_000, capacity: 20_000, unit: 'tokens' } as const

/** Maximum share of 429s among the requests to most of the targets. */
const MAX_REJECTED_SHARE = 0.02

test.each<[name: string, target: Target, maxSeconds: number, maxRejectedShare?: number]>([
  ['60 a minute, 10 at once', bucket(minute), 420],
  ['60 a minute, 10 at once, without headers', bucket({ ...minute, hasHeaders: false }), 440, 0.05],
  [
    '60 a minute, 10 at once, without headers and Retry-After',
    bucket({ ...minute, hasHeaders: false, hasRetryAfter: false }),
    440,
    0.05,
  ],
  ['60 a minute, 10 at once, 1 s for each response', bucket({ ...minute, tookMs: 1000 }), 420],
  ['240 a minute, 1 at once', bucket(fast), 110],
  ['240 a minute, 1 at once, without headers', bucket({ ...fast, hasHeaders: false }), 200],
  ['240 a minute, 60 at once, without headers', bucket({ ...fast, capacity: 60, hasHeaders: false }), 120],
  ['a fixed window of 60', fixedWindow({ perMinute: 60, capacity: 60 }), 380],
  ['a fixed window of 60 without headers', fixedWindow({ perMinute: 60, capacity: 60, hasHeaders: false }), 420, 0.05],
  ['a fixed window of 240', fixedWindow({ perMinute: 240, capacity: 240 }), 70],
  ['a fixed window of 240 without headers', fixedWindow({ perMinute: 240, capacity: 240, hasHeaders: false }), 70],
  ['a fixed window of 60 without headers and Retry-After', fixedWindow({ ...window60, ...bare }), 440, 0.07],
  ['60 in 5 s', fixedWindow({ ...window5, ...bare }), 50],
  ['60 in 5 s, 50 ms for each response', fixedWindow({ ...window5, ...bare, tookMs: 50 }), 60],
  ['60 in 5 s with Retry-After', fixedWindow({ ...window5, hasHeaders: false }), 40],
  ['60 in a sliding window of 5 s', slidingWindow({ ...window5, ...bare }), 50],
  ['60 in 10 s', fixedWindow({ ...window5, ...bare, windowMs: 10_000 }), 100],
  ['10 a second', fixedWindow({ perMinute: 600, capacity: 10, windowMs: 1000, ...bare }), 80],
  ['10 in a sliding second', slidingWindow({ perMinute: 600, capacity: 10, windowMs: 1000, ...bare }), 80],
  ['5 a second', fixedWindow({ perMinute: 300, capacity: 5, windowMs: 1000, ...bare }), 130],
  ['5 a second with Retry-After', fixedWindow({ perMinute: 300, capacity: 5, windowMs: 1000, hasHeaders: false }), 130],
  ['20 in 10 s', fixedWindow({ perMinute: 120, capacity: 20, windowMs: 10_000, ...bare }), 290, 0.05],
  ['300 in 10 s', fixedWindow({ perMinute: 1800, capacity: 300, windowMs: 10_000, ...bare }), 30],
  ['a sliding window of 60', slidingWindow({ perMinute: 60, capacity: 60 }), 670],
  [
    'a sliding window of 60 without headers',
    slidingWindow({ perMinute: 60, capacity: 60, hasHeaders: false }),
    420,
    0.03,
  ],
  ['20,000 tokens a minute', bucket(tokens), 100],
  ['20,000 tokens a minute without headers', bucket({ ...tokens, hasHeaders: false }), 60],
  ['2 requests in parallel', parallel(2, 100), 30],
  ['2 requests in parallel, 1 s for each response', parallel(2, 1000), 310],
  ['2 requests in parallel with Retry-After', parallel(2, 100, { 'retry-after': '1' }), 30],
  ['2 requests in parallel, some of which it counts for too long', parallel(2, 100, {}, 80), 30],
  ['1 request at a time', parallel(1, 100), 50],
  ['no limit', { tookMs: 1000, receive: () => [OK] }, 60],
])(
  'sends every request, with few rejections, to a target with %s',
  async (_name, target, maxSeconds, maxRejectedShare = MAX_REJECTED_SHARE) => {
    const { seconds, rejectedShare, unsent } = await sendAll(target)
    expect(unsent).toBe(0)
    expect(rejectedShare).toBeLessThanOrEqual(maxRejectedShare)
    expect(seconds).toBeLessThanOrEqual(maxSeconds)
  },
)

test.each<[name: string, target: Target, maxSeconds: number, maxRejectedShare?: number]>([
  ['60 in 5 s', fixedWindow({ ...window5, ...bare }), 70, 0.03],
  ['60 in a sliding window of 5 s with Retry-After', slidingWindow({ ...window5, hasHeaders: false }), 60],
  ['10 a second, 20 at once', bucket({ perMinute: 600, capacity: 20, ...bare }), 60, 0.03],
  ['5 a second, 20 at once', bucket({ perMinute: 300, capacity: 20, ...bare }), 130, 0.05],
  ['10 a second', fixedWindow({ perMinute: 600, capacity: 10, windowMs: 1000, ...bare }), 70],
])(
  'recognizes a common limit of all keys: %s',
  async (_name, target, maxSeconds, maxRejectedShare = MAX_REJECTED_SHARE) => {
    const keys = ['funded', 'funded', 'invalid', 'no-credits'] as const
    const { seconds, rejectedShare, unsent } = await sendAll(target, { keys })
    expect(unsent).toBe(0)
    expect(rejectedShare).toBeLessThanOrEqual(maxRejectedShare)
    expect(seconds).toBeLessThanOrEqual(maxSeconds)
  },
)

test('recognizes a rate limit that rejects the requests of a growing window', async () => {
  const target = fixedWindow({ ...window5, hasHeaders: false, tookMs: 50 })
  const { pace } = await sendAll(target, { count: 1000, concurrency: 20 })
  expect(pace.parallelLimit).toBeUndefined()
  expect(pace.requestsPerMinute).toBeDefined()
})

test('delays requests with other keys after a burst, if all keys have a common limit', async () => {
  const clock = new VirtualClock()
  const pace = new Pace(undefined, clock, new AbortController().signal)
  const send = async (key: PacedKeyRole, status: number): Promise<void> => {
    const turn = await pace.waitForPermit({ key, tokens: 0, rejections: 0 })
    await clock.wait(100)
    turn?.end({ status, headers: {} })
  }
  await clock.run(send('funded', 200))
  await clock.run(send('funded', 429))
  await clock.run(clock.wait(1))
  await clock.run(Promise.all([send('no-credits', 429), send('small', 429)]))
  await clock.run(send('funded', 200))
  expect(pace.hasCommonLimit).toBe(true)
  const perMinute = pace.requestsPerMinute ?? Infinity
  const startMs = clock.nowMs()
  const burst = Array.from({ length: 10 }, () => pace.startUnpaced())
  for (const request of burst) request.end(OK)
  await clock.run(send('funded', 200))
  expect(clock.nowMs() - startMs).toBeGreaterThan((10 * 60_000) / perMinute)
})

test.each<[name: string, headers: Response['headers']]>([
  ['without Retry-After', {}],
  ['with Retry-After', { 'retry-after': '1' }],
])('does not slow down if a target rejects every third request at any rate, %s', async (_name, headers) => {
  let received = 0
  const receive: Target['receive'] = () => {
    received += 1
    return [received % 3 === 0 ? { status: 429, headers } : OK]
  }
  const { seconds, unsent, pace } = await sendAll({ tookMs: 50, receive })
  expect(unsent).toBe(0)
  expect(seconds).toBeLessThanOrEqual(360)
  expect([pace.rejectsAtAnyRate, pace.requestsPerMinute]).toEqual([true, undefined])
})

test('sends no further request with a key that gets only 429s for two minutes', async () => {
  let received = 0
  const receive: Target['receive'] = (nowMs) => {
    received += 1
    return [received > 50 && nowMs < 600_000 ? { status: 429, headers: {} } : OK]
  }
  const { seconds, unsent } = await sendAll({ tookMs: 50, receive })
  expect(unsent).toBe(350)
  expect(seconds).toBeLessThanOrEqual(120)
})

test('keeps a rate that a target accepts, although it rejects one request in 20 at any rate', async () => {
  let random = 1
  const receive: Target['receive'] = () => {
    random = (random * 48_271) % 2_147_483_647
    return [random % 20 === 0 ? { status: 429, headers: { 'retry-after': '1' } } : OK]
  }
  expect((await sendAll({ tookMs: 50, receive })).seconds).toBeLessThanOrEqual(480)
})

test('respects the rate that the tester sets, even for requests without a key', async () => {
  const target: Target = { tookMs: 0, receive: () => [OK] }
  expect((await sendAll(target, { count: 60, rate: 60 })).seconds).toBe(59)
  expect((await sendAll(target, { count: 60, rate: 60, keys: ['invalid'] })).seconds).toBe(59)
})

test('does not delay requests if the limit is sufficient for the run', async () => {
  const { seconds, pace } = await sendAll(fixedWindow({ perMinute: 1000, capacity: 1000 }), { count: 300 })
  expect(seconds).toBeLessThan(2)
  expect(pace.requestsPerMinute).toBeUndefined()
})

test('sends no request with a key that must wait longer than two minutes', async () => {
  const rejected = { status: 429, headers: { 'retry-after': '3600' } }
  const { unsent, seconds } = await sendAll({ tookMs: 0, receive: () => [rejected] }, { count: 20 })
  expect([unsent, seconds]).toEqual([20, 0])
})

test('gives up on invalid keys that got only 429s for about a minute', async () => {
  const rejected = { status: 429, headers: {} }
  const { seconds, pace } = await sendAll({ tookMs: 0, receive: () => [rejected] }, { count: 60, keys: ['invalid'] })
  expect(seconds).toBeLessThanOrEqual(65)
  expect(pace.findClosure('invalid')).toBeDefined()
  expect(pace.findClosure('funded')).toBeUndefined()
  const wait = { status: 429, headers: { 'retry-after': '100' } }
  expect((await sendAll({ tookMs: 0, receive: () => [wait] }, { count: 60, keys: ['invalid'] })).seconds).toBe(0)
})

test('sends each request with an invalid key to a target that limits them to 20 a minute', async () => {
  const target = fixedWindow({ perMinute: 20, capacity: 20 })
  const { unsent } = await sendAll(target, { count: 60, keys: ['invalid'] })
  expect(unsent).toBe(0)
})

test('does not delay the funded key because of 429s to invalid keys', async () => {
  const clock = new VirtualClock()
  const pace = new Pace(undefined, clock, new AbortController().signal)
  const reject = async (): Promise<void> => {
    const turn = await pace.waitForPermit({ key: 'invalid', tokens: 0, rejections: 0 })
    await clock.wait(1)
    turn?.end({ status: 429, headers: {} })
  }
  await clock.run(Promise.all([reject(), reject()]))
  expect([pace.parallelLimit, pace.requestsPerMinute]).toEqual([undefined, undefined])
})

test('recognizes a limit on parallel requests with the same key', async () => {
  const clock = new VirtualClock()
  const pace = new Pace(undefined, clock, new AbortController().signal)
  let funded = 0
  const send = async (key: PacedKeyRole): Promise<void> => {
    const turn = await pace.waitForPermit({ key, tokens: 0, rejections: 0 })
    if (key !== 'funded') {
      await clock.wait(100)
      return turn?.end({ status: 401, headers: {} })
    }
    const isRejected = funded >= 2
    if (!isRejected) funded += 1
    await clock.wait(isRejected ? 1 : 100)
    if (!isRejected) funded -= 1
    turn?.end({ status: isRejected ? 429 : 200, headers: {} })
  }
  const keys: readonly PacedKeyRole[] = [
    'funded',
    'funded',
    'invalid',
    'funded',
    'invalid',
    'invalid',
    'funded',
    'funded',
  ]
  await clock.run(
    Promise.all([...keys, ...keys, 'funded', 'funded', 'funded', 'funded', 'funded'] as const).then((all) =>
      Promise.all(all.map(send)),
    ),
  )
  expect([pace.requestsPerMinute, pace.parallelLimit]).toEqual([undefined, 2])
})

test('sends no request after the run is aborted', async () => {
  const abort = new AbortController()
  const pace = new Pace(1, new VirtualClock(), abort.signal)
  const request = { key: 'funded', tokens: 0, rejections: 0 } as const
  expect(await pace.waitForPermit(request)).toBeDefined()
  const second = pace.waitForPermit(request)
  abort.abort()
  expect(await second).toBeUndefined()
})
