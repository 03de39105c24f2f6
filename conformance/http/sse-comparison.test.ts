import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getInputCount, LONG_TEST_TIMEOUT_MS } from '../testing/generated-inputs.ts'
import { SseReader } from './sse-reader.ts'

/*
 * These tests compare SseReader with eventsource-parser on valid and damaged streams. Where the two differ
 * intentionally, the function `theirs` changes the input or the result of eventsource-parser and states the reason.
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
  // eventsource-parser parses strings, so the bytes are decoded first. TextDecoder replaces invalid UTF-8, and removes
  // a byte order mark at the start.
  const text = new TextDecoder().decode(bytes)
  // A carriage return at the end may be the first half of a CRLF, so eventsource-parser waits for the next byte,
  // whereas SseReader emits the event immediately. The colon provides that byte and starts a comment, which adds no
  // event.
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

/** Generates changes that damage the bytes of a stream: replaced, inserted, removed and repeated bytes. */
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

/** Maximum length of streams that the test splits at every byte, in bytes. */
const SHORT_BYTES = 80

function cuts(bytes: Uint8Array): number[] {
  return bytes.length <= SHORT_BYTES ? Array.from(bytes, (_, at) => at) : [1, bytes.length >> 1, bytes.length - 1]
}

test(
  'reads the same events as eventsource-parser for any split of the bytes',
  { timeout: LONG_TEST_TIMEOUT_MS },
  () => {
    let events = 0
    fc.assert(
      fc.property(fc.oneof(stream, damaged), (bytes) => {
        const expected = theirs(bytes)
        events += expected.length
        expect(ours([bytes])).toEqual(expected)
        // Compares JSON, because one `expect` for each split would take most of the test's run time.
        const same = JSON.stringify(expected)
        const halves = cuts(bytes).map((cut) => [bytes.subarray(0, cut), bytes.subarray(cut)])
        const singles = Array.from(bytes, (byte) => Uint8Array.of(byte))
        const differing = [...halves, singles].find((chunks) => JSON.stringify(ours(chunks)) !== same)
        expect(differing).toBeUndefined()
      }),
      { numRuns: getInputCount(200) },
    )
    expect(events).toBeGreaterThan(getInputCount(200))
  },
)
