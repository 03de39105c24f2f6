import fc from 'fast-check'
import { randomInvalidMessage, buildValidMessageArbitrary, type HttpMessage } from './random-messages.ts'

/** A test case: the bytes to send over one connection. */
export interface FuzzCase {
  /**
   * - `valid`: valid HTTP messages; the last one has `connection: close`
   * - `invalid`: some messages are invalid; the client then half-closes the connection
   * - `truncated`: the client half-closes the connection in the middle of a message
   * - `abort`, `reset`: the client closes or resets the connection in the middle of a message
   */
  readonly kind: 'valid' | 'invalid' | 'truncated' | 'abort' | 'reset'
  readonly messages: readonly HttpMessage[]
  /** The bytes to send, split into writes. */
  readonly pieces: readonly Buffer[]
  /** Milliseconds between two writes; 0 means one turn of the event loop. */
  readonly pauseMs: number
}

/** Maximum number of one-byte writes of a case. One more write contains the remaining bytes. */
const MAX_SINGLE_WRITES = 300

const validMessages = fc
  .tuple(
    fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(buildValidMessageArbitrary(false), { maxLength: 5 }) },
    ),
    buildValidMessageArbitrary(true),
  )
  .map(([before, last]) => [...before, last])
const invalidMessages = fc
  .tuple(
    fc.array(buildValidMessageArbitrary(false), { maxLength: 1 }),
    randomInvalidMessage,
    fc.array(buildValidMessageArbitrary(false), { maxLength: 1 }),
  )
  .map((lists) => lists.flat())

const delivery = fc.record({
  /** Positions at which the bytes are split into writes, as fractions of the total length. */
  cuts: fc.oneof(
    { weight: 6, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 }) },
    { weight: 1, arbitrary: fc.constant('bytes' as const) },
  ),
  pauseMs: fc.constantFrom(0, 0, 0, 1, 3),
  /** Position at which a message is truncated, as a fraction of its length. */
  end: fc.double({ min: 0, max: 1, noNaN: true }),
})

const kind = fc.oneof(
  { weight: 10, arbitrary: fc.constant('valid' as const) },
  { weight: 5, arbitrary: fc.constant('invalid' as const) },
  { weight: 2, arbitrary: fc.constantFrom('truncated' as const, 'abort' as const, 'reset' as const) },
)

const anyCase: fc.Arbitrary<FuzzCase> = kind
  .chain((kind) =>
    fc.record({ kind: fc.constant(kind), messages: kind === 'invalid' ? invalidMessages : validMessages, delivery }),
  )
  .map(({ kind, messages, delivery: { cuts, pauseMs, end } }) => {
    const all = Buffer.concat(messages.map(({ bytes }) => bytes))
    const isWhole = kind === 'valid' || kind === 'invalid'
    const sent = isWhole ? all : all.subarray(0, Math.floor(end * all.length))
    return { kind, messages, pieces: divide(sent, cuts), pauseMs }
  })

function divide(bytes: Buffer, cuts: readonly number[] | 'bytes'): Buffer[] {
  const places =
    cuts === 'bytes'
      ? Array.from({ length: Math.min(bytes.length, MAX_SINGLE_WRITES) }, (_, at) => at + 1)
      : cuts.map((share) => Math.floor(share * bytes.length)).toSorted((a, b) => a - b)
  return [...places, bytes.length].map((to, index) => bytes.subarray(places[index - 1] ?? 0, to))
}

/** Generates a batch of 32 cases. The same seed and number give the same cases. */
export function generateCases(seed: number, batch: number): FuzzCase[] {
  return fc.sample(anyCase, { seed: (Math.imul(seed, 0x9e37_79b1) + batch) | 0, numRuns: 32 })
}
