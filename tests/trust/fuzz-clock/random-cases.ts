import fc from 'fast-check'

/** A test case: a latency, and what clients and the clock do one after another. */
export interface ClockCase {
  readonly latency: string
  readonly answerTokens: number
  readonly steps: readonly ClockStep[]
}

export type ClockStep =
  | ClockRequest
  | { readonly kind: 'advance'; readonly ms: number }
  /** Starts the clock for one millisecond of real time. */
  | { readonly kind: 'run' }
  /** Starts the clock, and leaves it running until a step `freeze`. */
  | { readonly kind: 'start' }
  | { readonly kind: 'freeze' }
  | { readonly kind: 'reset' }
  /** Disconnects the client of an open request. */
  | { readonly kind: 'disconnect'; readonly which: number }

export interface ClockRequest {
  readonly kind: 'request'
  readonly operation: 'chat' | 'stream' | 'models' | 'responses'
  readonly account: 'funded' | 'small' | 'limited' | 'noCredits'
  /** Value of the header that selects a fault. */
  readonly fault?: string | undefined
}

const PROFILES = ['instant', 'fast', 'typical', 'slow', 'reasoner']

const delayMs = fc.oneof(
  fc.constantFrom(0, 1, 10, 1000, 3_600_000),
  fc.integer({ min: 1, max: 5000 }),
  fc.integer({ min: 1, max: 9_999_999 }).map((microseconds) => microseconds / 1000),
  fc.double({ min: 1e-6, max: 3_600_000, noNaN: true }),
)
const format = (ms: number) => `${ms.toFixed(6)}ms`
const delay = fc.oneof(
  delayMs.map(format),
  fc
    .tuple(delayMs, delayMs)
    .map(([one, other]) => [Math.max(1e-6, Math.min(one, other)), Math.max(1e-6, one, other)] as const)
    .map(([low, high]) => `${format(low)}..${format(high)}`),
)
const customLatency = fc
  .uniqueArray(fc.tuple(fc.constantFrom('ttft', 'itl', 'models', 'slowdown'), delay), {
    minLength: 1,
    selector: ([name]) => name,
  })
  .map((parts) => parts.map(([name, text]) => `${name}=${name === 'slowdown' ? '0.3' : text}`).join(','))

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record<ClockRequest>({
      kind: fc.constant('request'),
      operation: fc.constantFrom('stream', 'stream', 'stream', 'chat', 'models', 'responses'),
      account: fc.constantFrom('funded', 'funded', 'funded', 'small', 'limited', 'noCredits'),
      fault: fc.oneof(
        { weight: 5, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.nat(86_400_000).map((ms) => `delayMs=${ms}`) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            'delayMs=1',
            'itlMs=7,delayMs=3',
            'itlMs=1,errorAfterEvents=2',
            'cutAfterEvents=3',
            'cutAfterBytes=40',
            'stallAfterEvents=2',
            'neverEnds',
            'drop,delayMs=40',
            'status=503,delayMs=200',
          ),
        },
      ),
    }),
  },
  {
    weight: 8,
    arbitrary: fc
      .oneof(
        fc.constantFrom(0, Number.MIN_VALUE, 1e-9, 1e-3, 0.1, 1, 60_000, 86_400_000, 366 * 86_400_000),
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0, max: 1e10, noNaN: true }),
      )
      .map((ms) => ({ kind: 'advance' as const, ms })),
  },
  { weight: 2, arbitrary: fc.nat(9).map((which) => ({ kind: 'disconnect' as const, which })) },
  { weight: 1, arbitrary: fc.constantFrom('run', 'start', 'freeze', 'reset').map((kind) => ({ kind })) },
)

const anyCase: fc.Arbitrary<ClockCase> = fc.record({
  latency: fc.oneof(fc.constantFrom(...PROFILES), customLatency),
  answerTokens: fc.integer({ min: 1, max: 40 }),
  steps: fc.array(step, { minLength: 4, maxLength: 24 }),
})

/** Generates a case. The same seed and number give the same case. */
export function generateClockCase(seed: number, number: number): ClockCase {
  const [generated] = fc.sample(anyCase, { seed: (Math.imul(seed, 0x9e37_79b1) + number) | 0, numRuns: 1 })
  if (generated === undefined) throw new Error('fast-check generated no case')
  return generated
}
