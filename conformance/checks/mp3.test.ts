import { expect, test } from 'vitest'
import { mp3Problem } from './mp3.ts'

const FRAME = [0xff, 0xfb, 0x90, 0x00]
const TAG = [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 3, 1, 2, 3]
const LONG_TAG = [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 1, 2, ...Array<number>(130).fill(7)]

test.each([
  ['a frame', FRAME],
  ['a frame of MPEG-2', [0xff, 0xf3, 0x40, 0x00]],
  ['a tag, then a frame', [...TAG, ...FRAME]],
  ['a tag of 130 bytes, whose size is written with seven bits a byte, then a frame', [...LONG_TAG, ...FRAME]],
  ['a tag with padding, then a frame', [...TAG, 0, 0, ...FRAME]],
])('%s is MP3', (_name, bytes) => {
  expect(mp3Problem(Uint8Array.from(bytes))).toBeUndefined()
})

test.each([
  ['nothing', []],
  ['a tag only', TAG],
  ['a tag that is longer than the file', [0x49, 0x44, 0x33, 4, 0, 0, 1, 0, 0, 0, ...FRAME]],
  ['text', [...Buffer.from('{"error":1}')]],
  ['a WAV file', [...Buffer.from('RIFF....WAVE')]],
  ['a frame of layer II', [0xff, 0xfd, 0x90, 0x00]],
  ['AAC (ADTS)', [0xff, 0xf1, 0x50, 0x80]],
  ['a reserved sample rate', [0xff, 0xfb, 0x9c, 0x00]],
])('%s is not', (_name, bytes) => {
  expect(mp3Problem(Uint8Array.from(bytes))).toBeTypeOf('string')
})
