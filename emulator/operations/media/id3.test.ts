import { expect, test } from 'vitest'
import { readTextTag, measureId3Tag, createTextTag } from './id3.ts'

test('creates a tag with the length in its header, and reads its text by description', () => {
  const tag = createTextTag({ note: 'text' })
  expect(measureId3Tag(tag)).toBe(tag.length)
  expect(readTextTag(tag, 'note')).toBe('text')
  expect(readTextTag(tag, 'other')).toBeUndefined()
})

// Each encoding of a text frame. Other tools write version 2.3 and choose the encoding depending on the text.
const encodings: [name: string, encoding: number, name16: Buffer, text: Buffer][] = [
  ['Latin-1', 0, Buffer.from('note\0', 'latin1'), Buffer.from('Grüße', 'latin1')],
  ['UTF-16', 1, Buffer.from('\uFEFFnote\0', 'utf16le'), Buffer.from('\uFEFFGrüße', 'utf16le')],
  ['UTF-16, big-endian', 2, Buffer.from('note\0', 'utf16le').swap16(), Buffer.from('Grüße', 'utf16le').swap16()],
  ['UTF-8', 3, Buffer.from('note\0'), Buffer.from('Grüße')],
]

test.each(encodings)('reads a text in %s of version 2.3 after a frame of another type', (_, encoding, name, text) => {
  const content = Buffer.concat([Uint8Array.of(encoding), name, text])
  const frames = Buffer.concat([frame23('TIT2', Buffer.from('\0title')), frame23('TXXX', content)])
  const header = Uint8Array.of(0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, frames.length)
  expect(readTextTag(Buffer.concat([header, frames]), 'note')).toBe('Grüße')
})

function frame23(type: string, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), Uint8Array.of(0, 0, 0, content.length, 0, 0), content])
}
