import { expect, test } from 'vitest'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'
import { findExcessLength, measureStream } from './stream-length.ts'

const WORDS = ['one', ' two', ' three', ' four']

function measure(chunkOf: (text: string, index: number) => unknown) {
  const body = WORDS.map((text, index) => `data: ${JSON.stringify(chunkOf(text, index))}\n\n`).join('')
  return measureStream(createScriptedExchange({ status: 200, headers: { 'content-type': 'text/event-stream' }, body }))
}

test.each([
  ['of the usual shape', (content: string) => ({ choices: [{ delta: { content } }] }), true],
  ['with a text', (text: string, id: number) => ({ id: `event-${id}`, text }), false],
  ['with a token', (text: string) => ({ token: { text, special: false }, generated_text: null }), false],
  ['with a type', (text: string) => ({ type: 'content_block_delta', delta: { type: 'text_delta', text } }), false],
])('measures the text of chunks %s', (_name, chunkOf, isExact) => {
  expect(measure(chunkOf)).toEqual({ tokens: undefined, words: 4, characters: 18, bytes: 18, events: 4, isExact })
})

test('finds no text in chunks that differ only by their IDs', () => {
  expect(measure((_text, id) => ({ id: `event ${id}`.replace(' ', '-') }))).toMatchObject({ characters: 0, events: 0 })
})

const MANY = Array.from({ length: 12 }, (_, index) => `word${index} `)

function streamOf(events: readonly string[]) {
  const body = events.map((data) => `data: ${data}\n\n`).join('')
  return createScriptedExchange({ status: 200, headers: { 'content-type': 'text/event-stream' }, body })
}

function chunkOf(content: string, id = 'one'): string {
  return JSON.stringify({ id, choices: [{ delta: { content } }] })
}

test.each([
  ['repeats the text so far', MANY.map((_, index) => chunkOf(MANY.slice(0, index + 1).join('')))],
  ['sends each delta twice', MANY.flatMap((text) => [chunkOf(text), chunkOf(text)])],
  [
    'repeats the text so far in some deltas',
    MANY.map((text, index) => chunkOf(index % 7 === 6 ? MANY.slice(0, index + 1).join('') : text)),
  ],
  ['sends the whole text at its end', [...MANY, MANY.join('')].map((text) => chunkOf(text))],
  ['continues after [DONE]', [...MANY.map((text) => chunkOf(text)), '[DONE]', ...MANY.map((text) => chunkOf(text))]],
])('counts the words of a stream once if it %s', (_how, events) => {
  expect(measureStream(streamOf(events))).toMatchObject({ words: MANY.length, isExact: true })
})

test.each([
  ['has chunks of another stream', MANY.flatMap((text) => [chunkOf(text), chunkOf(text, 'other')])],
  ['has two prefixes in each event', MANY.map((text) => `data: ${chunkOf(text)}`)],
  ['has chunks that are not JSON', MANY.map((text) => chunkOf(text).replaceAll('"', "'"))],
])('does not fail a stream that %s', (_how, events) => {
  expect(findExcessLength(measureStream(streamOf(events)), { bound: 4 })).toBeUndefined()
  const readable = streamOf(MANY.map((text) => chunkOf(text)))
  expect(findExcessLength(measureStream(readable), { bound: 4 })).toBeDefined()
})

test('does not fail a stream whose text has an unknown shape', () => {
  expect(
    findExcessLength(
      measure((content) => ({ choices: [{ delta: { content } }] })),
      { bound: 1 },
    ),
  ).toBeDefined()
  // Each of these chunks repeats the text of the previous chunks.
  expect(
    findExcessLength(
      measure((_text, index) => ({ text: WORDS.slice(0, index + 1).join('') })),
      { bound: 1 },
    ),
  ).toBeUndefined()
})
