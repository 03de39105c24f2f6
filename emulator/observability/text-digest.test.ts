import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { toByteString } from '../../common/byte-string.ts'
import { TextDigest } from './text-digest.ts'

const TEXTS = ['', 'One', ' "two"\n', ' 😀', ' "content":"x"']

function digestOf(chunks: readonly (Buffer | string)[]): string {
  const digest = new TextDigest()
  for (const chunk of chunks) digest.add(typeof chunk === 'string' ? toByteString(chunk) : chunk)
  return digest.digest()
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const eventOf = (content: string) => `data: ${JSON.stringify({ id: 'c', choices: [{ delta: { content } }] })}\n\n`

test('computes the digest of the text, however it is divided into events and chunks', () => {
  const events = TEXTS.map(eventOf)
  const bytes = Buffer.from(events.join(''))
  const want = sha256(TEXTS.join(''))
  expect(digestOf(events)).toBe(want)
  expect(digestOf([eventOf(TEXTS.join('')), 'data: [DONE]\n\n'])).toBe(want)
  for (const size of [1, 100, 149]) {
    const count = Math.ceil(bytes.length / size)
    const pieces = Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
    expect(digestOf(pieces)).toBe(want)
  }
})

test('computes the digest of the text of a completion', () => {
  const content = TEXTS.join('')
  expect(digestOf([JSON.stringify({ id: 'c', choices: [{ message: { role: 'assistant', content } }] })])).toBe(
    sha256(content),
  )
  expect(digestOf(['{"content":"\\x"}'])).toBe(sha256('\\x'))
  expect(digestOf([])).toBe(sha256(''))
})
