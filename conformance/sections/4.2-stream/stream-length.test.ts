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

test('does not fail a stream whose text has an unknown shape', () => {
  expect(
    findExcessLength(
      measure((content) => ({ choices: [{ delta: { content } }] })),
      1,
    ),
  ).toBeDefined()
  // Each of these chunks repeats the text of the previous chunks.
  expect(
    findExcessLength(
      measure((_text, index) => ({ text: WORDS.slice(0, index + 1).join('') })),
      1,
    ),
  ).toBeUndefined()
})
