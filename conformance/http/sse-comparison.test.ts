import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inputs, LONG_TEST_MS } from '../testing/long-run.ts'
import { SseReader } from './sse-reader.ts'

/*
 * Our reader beside a parser in wide use, on streams as a service may write them and on damaged ones. Where the two differ
 * by design, `theirs` brings both to one form and says why.
 */

interface Event {
  readonly data: string
  readonly event: string | undefined
}

function ours(chunks: readonly Uint8Array[]): Event[] {
  const reader = new SseReader()
  chunks.forEach((chunk, index) => reader.push(chunk, index))
  return reader.events.map(({ data, event }) => ({ data, event }))
}

function theirs(bytes: Uint8Array): Event[] {
  const events: Event[] = []
  const parser = createParser({
    onEvent: ({ data, event }) => events.push({ data, event: event === '' ? undefined : event }),
  })
  // It takes text: bytes that are no UTF-8 are replaced, and a byte order mark at the start is taken off, before it sees it.
  const text = new TextDecoder().decode(bytes)
  // A carriage return at the end may be the first half of a line end: it waits for more, where our reader takes the event
  // at once. A comment gives it more to read and adds nothing.
  parser.feed(text.endsWith('\r') ? `${text}:` : text)
  return events
}

const LINE_ENDS = ['\n', '\n', '\r\n', '\r']
const lineEnd = fc.constantFrom(...LINE_ENDS)
const value = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    ' a',
    'a',
    '[DONE]',
    '{"choices":[{"delta":{"content":"hi"}}]}',
    'grüße 🪨',
    '\ufeff',
    ':',
    '\0',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
const line = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constantFrom('data:', 'data: '), value).map((parts) => parts.join('')) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('event: ', 'id: ', 'retry: ', ': ', 'foo: '), value)
      .map((parts) => parts.join('')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('data', 'event', 'id', ':', ' data: x', 'DATA: x', 'datax: y', '\ufeffdata: x'),
  },
)
const stream = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.tuple(fc.array(fc.tuple(line, lineEnd), { maxLength: 3 }), lineEnd), { maxLength: 5 }),
  )
  .map(([hasMark, frames]) =>
    Buffer.from(`${hasMark ? '\ufeff' : ''}${frames.map(([lines, end]) => lines.flat().join('') + end).join('')}`),
  )

/** One change to the bytes: another value, more bytes, fewer, or some of them again. */
const damage = fc.tuple(
  fc.constantFrom('set', 'insert', 'remove', 'repeat'),
  fc.nat(200),
  fc.uint8Array({ maxLength: 3 }),
)

const damaged = fc.tuple(stream, fc.array(damage, { maxLength: 3 })).map(([bytes, damages]) =>
  damages.reduce<Buffer>((before, [how, place, noise]) => {
    const at = Math.min(place, before.length)
    const rest = how === 'set' || how === 'remove' ? noise.length : 0
    const between = how === 'remove' ? Buffer.alloc(0) : how === 'repeat' ? before.subarray(at, at + 12) : noise
    return Buffer.concat([before.subarray(0, at), between, before.subarray(at + rest)])
  }, bytes),
)

/** Streams of at most so many bytes are cut at every byte. */
const SHORT_BYTES = 80

function cuts(bytes: Uint8Array): number[] {
  return bytes.length <= SHORT_BYTES ? Array.from(bytes, (_, at) => at) : [1, bytes.length >> 1, bytes.length - 1]
}

test('a parser in wide use reads the same events, wherever the bytes are cut', { timeout: LONG_TEST_MS }, () => {
  let events = 0
  fc.assert(
    fc.property(fc.oneof(stream, damaged), (bytes) => {
      const expected = theirs(bytes)
      events += expected.length
      expect(ours([bytes])).toEqual(expected)
      // Compared as text: a matcher for each cut would take most of the time.
      const same = JSON.stringify(expected)
      const halves = cuts(bytes).map((cut) => [bytes.subarray(0, cut), bytes.subarray(cut)])
      const singles = Array.from(bytes, (byte) => Uint8Array.of(byte))
      const differing = [...halves, singles].find((chunks) => JSON.stringify(ours(chunks)) !== same)
      expect(differing).toBeUndefined()
    }),
    { numRuns: inputs(1500) },
  )
  // Streams without events would agree about nothing.
  expect(events).toBeGreaterThan(inputs(1500))
})
