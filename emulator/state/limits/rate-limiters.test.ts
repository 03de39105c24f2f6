import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVirtualClock, type VirtualClock } from '../clock.ts'
import { FixedWindow, type RateLimiter, type Consumption, SlidingWindow, TokenBucket } from './rate-limiters.ts'

interface Admitted {
  readonly atMs: number
  amount: number
}

interface Algorithm {
  make(clock: VirtualClock, limit: number): RateLimiter
  /** Computes from all earlier consumptions the maximum amount that a limiter may allow. */
  allows(admitted: readonly Admitted[], nowMs: number, limit: number): number
  /** Computes from all earlier consumptions the minimum amount that a limiter must allow. */
  owes(admitted: readonly Admitted[], nowMs: number, limit: number): number
}

const WINDOW_MS = 1000
const PER_MS = 0.013
const ROUNDING = 1e-6

const sum = (admitted: readonly Admitted[]) => admitted.reduce((total, { amount }) => total + amount, 0)

/** Returns the amount that a token bucket may allow: in every interval up to now, at most the limit plus the refill. */
function bucketAllows(admitted: readonly Admitted[], nowMs: number, limit: number): number {
  return admitted.reduce(
    (least, { atMs }, index) => Math.min(least, limit + (nowMs - atMs) * PER_MS - sum(admitted.slice(index))),
    limit,
  )
}

function fixedAllows(admitted: readonly Admitted[], nowMs: number, limit: number): number {
  let startMs = -Infinity
  for (const { atMs } of admitted) if (atMs >= startMs + WINDOW_MS) startMs = atMs
  if (nowMs >= startMs + WINDOW_MS) return limit
  return limit - sum(admitted.filter(({ atMs }) => atMs >= startMs))
}

function slidingAllows(admitted: readonly Admitted[], nowMs: number, limit: number, windowMs = WINDOW_MS): number {
  return limit - sum(admitted.filter(({ atMs }) => atMs > nowMs - windowMs))
}

const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  'token-bucket': {
    make: (clock, limit) => new TokenBucket(clock, limit, PER_MS),
    allows: bucketAllows,
    owes: bucketAllows,
  },
  'fixed-window': {
    make: (clock, limit) => new FixedWindow(clock, limit, WINDOW_MS),
    allows: fixedAllows,
    owes: fixedAllows,
  },
  'sliding-window': {
    make: (clock, limit) => new SlidingWindow(clock, limit, WINDOW_MS),
    allows: slidingAllows,
    // A consumption may count for 1 % longer than the window.
    owes: (admitted, nowMs, limit) => slidingAllows(admitted, nowMs, limit, WINDOW_MS * 1.01),
  },
}

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('ask' as const), amount: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ kind: fc.constant('ask' as const), amount: fc.integer({ min: 1, max: 3 }) }),
    fc.record({
      kind: fc.constant('rest' as const),
      ms: fc.oneof(fc.constantFrom(5, 9, 995, 1000), fc.nat(200), fc.nat(1500)),
    }),
    fc.record({
      kind: fc.constant('correct' as const),
      which: fc.nat(),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  ),
  { maxLength: 60, size: 'max' },
)
type Steps = typeof steps extends fc.Arbitrary<infer Value> ? Value : never

/** Executes the steps, and calls `evaluate` before each request. */
function walk(
  { make }: Algorithm,
  limit: number,
  steps: Steps,
  evaluate: (meter: RateLimiter, amount: number, admitted: readonly Admitted[], clock: VirtualClock) => void = () =>
    undefined,
): { readonly meter: RateLimiter; readonly clock: VirtualClock } {
  const clock = createVirtualClock()
  const meter = make(clock, limit)
  const admitted: Admitted[] = []
  const takes: Consumption[] = []
  for (const step of steps) {
    if (step.kind === 'rest') clock.advance(step.ms)
    else if (step.kind === 'ask') {
      evaluate(meter, step.amount, admitted, clock)
      if (meter.getWaitMs(step.amount) !== 0) continue
      takes.push(meter.consume(step.amount))
      admitted.push({ atMs: clock.nowMs(), amount: step.amount })
    } else if (takes.length > 0) {
      const which = step.which % takes.length
      const entry = admitted[which] as Admitted // `admitted` and `takes` have the same length.
      entry.amount = Math.floor(entry.amount * step.share)
      takes[which]?.reduceTo(entry.amount)
    }
  }
  return { meter, clock }
}

/** Number of generated inputs: small in the unit tier, large in the nightly tier, which sets TOUCHSTONE_LONG. */
const RUNS = process.env['TOUCHSTONE_LONG'] === '1' ? 20_000 : 400

const limits = fc.integer({ min: 1, max: 20 })

for (const [name, algorithm] of Object.entries(ALGORITHMS)) {
  test(`${name}: never exceeds the limit, and rejects nothing within it`, () => {
    fc.assert(
      fc.property(limits, steps, (limit, steps) => {
        walk(algorithm, limit, steps, (meter, amount, admitted, clock) => {
          if (meter.getWaitMs(amount) === 0) {
            expect(amount).toBeLessThanOrEqual(algorithm.allows(admitted, clock.nowMs(), limit) + ROUNDING)
          } else {
            expect(amount).toBeGreaterThan(algorithm.owes(admitted, clock.nowMs(), limit) - ROUNDING)
          }
        })
      }),
      { numRuns: RUNS },
    )
  })

  test(`${name}: allows an amount after waitMs; waitMs is undefined only for an amount above the limit`, () => {
    fc.assert(
      fc.property(limits, steps, fc.integer({ min: 1, max: 20 }), (limit, steps, amount) => {
        const { meter, clock } = walk(algorithm, limit, steps)
        const waitMs = meter.getWaitMs(amount)
        if (waitMs === undefined || amount > limit) {
          expect([waitMs, amount > limit]).toEqual([undefined, true])
          return
        }
        if (waitMs > 0.1) {
          clock.advance(waitMs - 0.1)
          expect(meter.getWaitMs(amount)).toBeCloseTo(0.1)
          clock.advance(0.1)
        } else {
          clock.advance(waitMs)
        }
        expect(meter.getWaitMs(amount)).toBe(0)
      }),
      { numRuns: RUNS },
    )
  })

  test(`${name}: reports exactly the remaining amount and the reset time`, () => {
    fc.assert(
      fc.property(limits, steps, (limit, steps) => {
        const { meter, clock } = walk(algorithm, limit, steps)
        const remaining = meter.getRemaining()
        if (remaining > 0) expect(meter.getWaitMs(remaining)).toBe(0)
        if (remaining < limit) expect(meter.getWaitMs(remaining + 1)).toBeGreaterThan(0)
        const resetMs = meter.getResetMs()
        expect(resetMs).toBeGreaterThanOrEqual(0)
        if (resetMs > 0.1) {
          clock.advance(resetMs - 0.1)
          expect(meter.getRemaining()).toBeLessThan(limit)
          clock.advance(0.1)
        } else {
          clock.advance(resetMs)
        }
        expect(meter.getRemaining()).toBe(limit)
        expect(meter.getWaitMs(limit)).toBe(0)
      }),
      { numRuns: RUNS },
    )
  })
}

test('allows the capacity of a bucket at once, then its refill', () => {
  const clock = createVirtualClock()
  const bucket = new TokenBucket(clock, 3, 0.001)
  for (let taken = 0; taken < 3; taken += 1) bucket.consume(1)
  expect(bucket.getWaitMs(1)).toBe(1000)
  clock.advance(400)
  expect(bucket.getWaitMs(1)).toBeCloseTo(600)
  clock.advance(3_600_000)
  expect(bucket.getRemaining()).toBe(3)
})

test('ignores the reduction of the oldest of very many consumptions', () => {
  const clock = createVirtualClock()
  const bucket = new TokenBucket(clock, 2000, 0.001)
  const first = bucket.consume(900)
  for (let taken = 0; taken < 1000; taken += 1) bucket.consume(1)
  first.reduceTo(0)
  expect(bucket.getRemaining()).toBe(100)
  bucket.consume(100).reduceTo(50)
  expect(bucket.getRemaining()).toBe(50)
})

test('reduces the 501 most recent of 1001 consumptions', () => {
  const clock = createVirtualClock()
  const bucket = new TokenBucket(clock, 4000, 0.001)
  const takes = Array.from({ length: 1001 }, () => bucket.consume(2))
  expect(bucket.getRemaining()).toBe(4000 - 2002)
  for (const take of takes.slice(500)) take.reduceTo(1)
  expect(bucket.getRemaining()).toBe(4000 - 2002 + 501)
})

test('expires consumptions within 1 % of a sliding window together, and others separately', () => {
  const clock = createVirtualClock()
  clock.advance(5000)
  const window = new SlidingWindow(clock, 10, WINDOW_MS)
  for (const restMs of [0, 300, 5, 5]) {
    clock.advance(restMs)
    // Consumptions at 0, 300, 305 and 310 ms. The third expires together with the second, the last one separately.
    window.consume(1)
  }
  const remaining = [690, 300, 5, 5].map((restMs) => {
    clock.advance(restMs - 1)
    const before = window.getRemaining()
    clock.advance(1)
    return [before, window.getRemaining()]
  })
  expect(remaining).toEqual([
    [6, 7],
    [7, 7],
    [7, 9],
    [9, 10],
  ])
  expect(window.getResetMs()).toBe(0)
})

test.each([
  ['fixed', FixedWindow],
  ['sliding', SlidingWindow],
])('%s window: allows a client that waits exactly as long as required, despite rounding', (_name, Window) => {
  const clock = createVirtualClock()
  clock.advance(55.703)
  const window = new Window(clock, 1, 60_000)
  window.consume(1)
  clock.advance(17_340.073)
  const waitMs = window.getWaitMs(1) ?? Number.NaN
  // Checks that the window has not ended yet, because of floating-point rounding.
  expect(55.703 + 60_000 - (55.703 + 17_340.073 + waitMs)).toBeGreaterThan(0)
  clock.advance(waitMs)
  expect([window.getWaitMs(1), window.getResetMs(), window.getRemaining()]).toEqual([0, 0, 1])
})

test('expires the consumptions of a steady stream at most 1 % late in a sliding window', () => {
  const clock = createVirtualClock()
  const window = new SlidingWindow(clock, 1_000_000, WINDOW_MS)
  for (let taken = 0; taken < 5000; taken += 1) {
    window.consume(1)
    clock.advance(1)
  }
  expect(window.getRemaining()).toBeGreaterThanOrEqual(1_000_000 - 1010)
  expect(window.getRemaining()).toBeLessThanOrEqual(1_000_000 - 999)
})
