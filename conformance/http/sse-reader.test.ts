import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getInputCount } from '../testing/generated-inputs.ts'
import { SseReader } from './sse-reader.ts'

function read(chunks: readonly Uint8Array[]) {
  const reader = new SseReader()
  chunks.forEach((chunk, index) => reader.push(chunk, index))
  return { events: reader.events, isUnfinished: reader.hasUnfinishedFrame }
}

function dataOf(text: string): string[] {
  return read([Buffer.from(text)]).events.map((event) => event.data)
}

describe('parses an event stream by the HTML standard', () => {
  test.each([
    ['lines end with LF', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['lines end with CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['lines end with CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['line endings are mixed', 'data: a\r\n\ndata: b\n\r\n', ['a', 'b']],
    ['several data lines are joined', 'data: a\ndata: b\n\n', ['a\nb']],
    ['one space after the colon is dropped', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
    ['comments and unknown fields are ignored', ': ping\nfoo: bar\ndata: a\n\n', ['a']],
    ['a comment alone is not an event', ': ping\n\ndata: a\n\n', ['a']],
    ['an event without data is ignored', 'event: ping\n\ndata: a\n\n', ['a']],
    ['data without a colon is an empty line', 'data\ndata\n\n', ['\n']],
    ['a byte order mark at the start is skipped', '\ufeffdata: a\n\n', ['a']],
    ['a byte order mark elsewhere belongs to the name', 'data: a\n\n\ufeffdata: b\n\n', ['a']],
    ['a byte order mark after an empty line belongs to the name', '\n\ufeffdata: a\n\ndata: b\n\n', ['b']],
    ['a byte order mark in the data stays', 'data: \ufeffa\n\n', ['\ufeffa']],
  ])('%s', (_name, text, expected) => {
    expect(dataOf(text)).toEqual(expected)
  })

  test('sets event names and ids only from fields of the stream', () => {
    const { events } = read([Buffer.from('retry: 10\nfoo: bar\ndata: a\n\nid: 7\nevent: e\nid\nevent\ndata: b\n\n')])
    expect(events).toEqual([
      { atMs: 0, data: 'a' },
      { atMs: 0, data: 'b' },
    ])
  })

  test('applies an event name to one event, and an id to all following events', () => {
    const { events } = read([Buffer.from('event: add\nid: 7\ndata: a\n\ndata: b\n\nid: x\0y\ndata: c\n\n')])
    expect(events).toEqual([
      { atMs: 0, data: 'a', event: 'add', id: '7' },
      { atMs: 0, data: 'b', id: '7' },
      { atMs: 0, data: 'c', id: '7' },
    ])
  })
})

test.each([
  ['data: a\n\n', false],
  ['data: a\n', true],
  ['data: a', true],
  ['data: a\r\n\r', false],
  ['data: a\n\n: bye', false],
  ['', false],
])('the unfinished frame at the end of %j is %s', (text, expected) => {
  expect(read([Buffer.from(text)]).isUnfinished).toBe(expected)
})

test('the boundaries of received chunks affect only arrival times', () => {
  const bytes = Buffer.from('\ufeffid: 1\r\nevent: e\r\ndata: grüße 🪨\r\n\r\n: c\rdata: x\rdata: y\r\rdata: z\n\n')
  const whole = read([bytes]).events.map((event) => ({ ...event, atMs: 0 }))
  expect(whole.map((event) => event.data)).toEqual(['grüße 🪨', 'x\ny', 'z'])
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const { events } = read([bytes.subarray(0, cut), bytes.subarray(cut)])
    expect(events.map((event) => ({ ...event, atMs: 0 }))).toEqual(whole)
  }
  const single = read([...bytes].map((byte) => Uint8Array.of(byte))).events
  expect(single.map((event) => ({ ...event, atMs: 0 }))).toEqual(whole)
})

test('the arrival time of an event is that of its last byte', () => {
  const { events } = read(['data: a', '\n', '\ndata: b\n\n'].map((part) => Buffer.from(part)))
  expect(events.map((event) => event.atMs)).toEqual([2, 2])
})

test('reads at most 20,000 events of an endless stream', () => {
  const reader = new SseReader()
  const event = Buffer.from('data: a\n\n')
  for (let count = 0; count < 19_999; count += 1) reader.push(event, count)
  expect(reader.isFull).toBe(false)
  reader.push(Buffer.from('data: b\n\ndata: c\n\n'), 20_000)
  expect(reader.isFull).toBe(true)
  reader.push(Buffer.from('data: d'), 20_001)
  expect(reader.events).toHaveLength(20_000)
  expect(reader.events.at(-1)?.data).toBe('b')
  expect(reader.hasUnfinishedFrame).toBe(false)
})

test('reads the same events as eventsource-parser', () => {
  const piece = fc.constantFrom(
    'data',
    'event',
    'id',
    ':',
    ': ',
    ' ',
    'a',
    'ü',
    '🪨',
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    '{"x":1}',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      // Ends the text with blank lines. After a final carriage return, eventsource-parser would wait for the next byte.
      const text = `${pieces.join('')}\n\n`
      const theirs: { data: string; event: string | undefined }[] = []
      createParser({ onEvent: ({ data, event }) => theirs.push({ data, event }) }).feed(text)
      const ours = read([Buffer.from(text)]).events
      expect(ours.map(({ data, event }) => ({ data, event }))).toEqual(theirs)
    }),
    { numRuns: getInputCount(200), seed: 1 },
  )
})

test('CR LF ends a single line, so an event may have several lines of data', () => {
  const reader = new SseReader()
  reader.push(Buffer.from('data: a\r\ndata: b\r\n\r\n'), 1)
  expect(reader.events).toEqual([{ atMs: 1, data: 'a\nb' }])
})

test('removes a space only directly after the colon', () => {
  const reader = new SseReader()
  reader.push(Buffer.from('data:a b\n\ndata:  c\n\n'), 1)
  expect(reader.events.map(({ data }) => data)).toEqual(['a b', ' c'])
})
