import fc from 'fast-check'
import { oddMessage, soundMessage, type Message } from './messages.ts'

/** What one connection is used for. */
export interface Case {
  /**
   * `sound`: messages that HTTP allows, of which the last asks to close. The others end the sending side themselves: `odd` after
   * messages of which some are none, `cut` in the middle of one. `left` and `reset` go away there.
   */
  readonly kind: 'sound' | 'odd' | 'cut' | 'left' | 'reset'
  readonly messages: readonly Message[]
  /** What is sent, piece by piece. */
  readonly pieces: readonly Buffer[]
  /** Milliseconds between two pieces; 0: a turn of the event loop. */
  readonly pauseMs: number
}

const BATCH = 100
/** So many pieces are sent one by one at most; the rest is one. */
const MOST_PIECES = 300

const sound = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(soundMessage(false), { maxLength: 5 }) },
    ),
    soundMessage(true),
  )
  .map(([before, last]) => [...before, last])
const odd = fc
  .tuple(fc.array(soundMessage(false), { maxLength: 1 }), oddMessage, fc.array(soundMessage(false), { maxLength: 1 }))
  .map((lists) => lists.flat())

const delivery = fc.record({
  /** Where the bytes are parted, as shares of all. */
  cuts: fc.oneof(
    { weight: 6, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 }) },
    { weight: 1, arbitrary: fc.constant('bytes' as const) },
  ),
  pauseMs: fc.constantFrom(0, 0, 0, 1, 3),
  /** Where it ends, where it ends too early. */
  end: fc.double({ min: 0, max: 1, noNaN: true }),
})

const kind = fc.oneof(
  { weight: 10, arbitrary: fc.constant('sound' as const) },
  { weight: 5, arbitrary: fc.constant('odd' as const) },
  { weight: 2, arbitrary: fc.constantFrom('cut' as const, 'left' as const, 'reset' as const) },
)

const anyCase: fc.Arbitrary<Case> = kind
  .chain((kind) => fc.record({ kind: fc.constant(kind), messages: kind === 'odd' ? odd : sound, delivery }))
  .map(({ kind, messages, delivery: { cuts, pauseMs, end } }) => {
    const all = Buffer.concat(messages.map(({ bytes }) => bytes))
    const isWhole = kind === 'sound' || kind === 'odd'
    const sent = isWhole ? all : all.subarray(0, Math.floor(end * all.length))
    return { kind, messages, pieces: divide(sent, cuts), pauseMs }
  })

function divide(bytes: Buffer, cuts: readonly number[] | 'bytes'): Buffer[] {
  const places =
    cuts === 'bytes'
      ? Array.from({ length: Math.min(bytes.length, MOST_PIECES) }, (_, at) => at + 1)
      : cuts.map((share) => Math.floor(share * bytes.length)).toSorted((a, b) => a - b)
  return [...places, bytes.length].map((to, index) => bytes.subarray(places[index - 1] ?? 0, to))
}

/** The cases from one number to before another: those of a seed are always the same. */
export function casesOf(seed: number, first: number, end: number): Case[] {
  const cases: Case[] = []
  for (let batch = Math.floor(first / BATCH); batch * BATCH < end; batch += 1) {
    const drawn = fc.sample(anyCase, { seed: (Math.imul(seed, 0x9e37_79b1) + batch) | 0, numRuns: BATCH })
    cases.push(...drawn.slice(Math.max(0, first - batch * BATCH), end - batch * BATCH))
  }
  return cases
}
