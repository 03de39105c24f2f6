import { expect, test } from 'vitest'
import { buildMp3 } from '../../requests/audio.ts'
import { findMp3FrameDeviation, findMp3StartDeviation, parseMp3 } from './mp3.ts'

const FRAME = [0xff, 0xfb, 0x90, 0x00]
const TAG = [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 3, 1, 2, 3]
const LONG_TAG = [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 1, 2, ...Array<number>(130).fill(7)]

test.each([
  ['a frame', FRAME],
  ['a frame of MPEG-2', [0xff, 0xf3, 0x40, 0x00]],
  ['a tag, then a frame', [...TAG, ...FRAME]],
  ['a tag of 130 bytes, whose size field has seven bits per byte, then a frame', [...LONG_TAG, ...FRAME]],
  ['a tag with padding, then a frame', [...TAG, 0, 0, ...FRAME]],
])('accepts the start of an MP3 file with %s', (_name, bytes) => {
  expect(findMp3StartDeviation(Uint8Array.from(bytes))).toBeUndefined()
})

test.each([
  ['an empty file', []],
  ['only a tag', TAG],
  ['a tag that is longer than the file', [0x49, 0x44, 0x33, 4, 0, 0, 1, 0, 0, 0, ...FRAME]],
  ['text', [...Buffer.from('{"error":1}')]],
  ['a WAV file', [...Buffer.from('RIFF....WAVE')]],
  ['a frame of layer II', [0xff, 0xfd, 0x90, 0x00]],
  ['AAC (ADTS)', [0xff, 0xf1, 0x50, 0x80]],
  ['a reserved sample rate', [0xff, 0xfb, 0x9c, 0x00]],
])('rejects the start of a file with %s', (_name, bytes) => {
  expect(findMp3StartDeviation(Uint8Array.from(bytes))).toMatchObject({ code: 'mp3-malformed' })
})

/** An MPEG-1 Layer III frame of 32 kbit/s at 44.1 kHz. It has 105 bytes, of which one is padding. */
const PADDED = [0xff, 0xfb, 0x12, 0x00, ...Array<number>(101).fill(0)]
const SILENCE = [...buildMp3(100)]
const APE = [...Buffer.from('APETAGEX'), 0xd0, 7, 0, 0, 5, 0, 0, 0, ...Array<number>(16).fill(0), 1, 2, 3, 4, 5]
const ID3V1 = [...Buffer.from('TAG'), ...Array<number>(125).fill(0)]

test.each([
  ['frames', SILENCE],
  ['frames of two versions, one padded', [...PADDED, ...SILENCE]],
  ['a tag, then frames', [...TAG, ...SILENCE]],
  ['two files, one after the other', [...TAG, ...SILENCE, ...TAG, ...SILENCE]],
  ['frames, then an ID3v1 tag', [...SILENCE, ...ID3V1]],
  ['two files with both tags', [...TAG, ...SILENCE, ...ID3V1, ...TAG, ...SILENCE, ...ID3V1]],
  ['frames, then an APE tag and an ID3v1 tag', [...SILENCE, ...APE, ...ID3V1]],
  ['frames, then lyrics', [...SILENCE, ...Buffer.from('LYRICSBEGIN la la')]],
  ['padding, frames, padding', [0, 0, ...SILENCE, 0, 0, 0]],
  ['a frame without a fixed length', [0xff, 0xfb, 0x00, 0x00, 1, 2, 3]],
])('finds no deviation in %s', (_name, bytes) => {
  expect(findMp3FrameDeviation(Uint8Array.from(bytes))).toBeUndefined()
})

test.each([
  ['an empty file', [], { problem: 'no-frame' }],
  ['only a tag', TAG, { problem: 'no-frame' }],
  ['only a frame header', SILENCE.slice(0, 4), { problem: 'frame-cut', offset: 0, actualBytes: 4, frameBytes: 144 }],
  ['a truncated file', SILENCE.slice(0, 300), { problem: 'frame-cut', offset: 288, actualBytes: 12, frameBytes: 144 }],
  [
    'a padded frame without its padding',
    PADDED.slice(0, -1),
    { problem: 'frame-cut', offset: 0, actualBytes: 104, frameBytes: 105 },
  ],
  [
    'frames, then text',
    [...SILENCE, ...Buffer.from('{"error":1}')],
    { problem: 'no-frame-header', offset: 432, frames: 3 },
  ],
  [
    'frames, an ID3v1 tag, then text',
    [...SILENCE, ...ID3V1, 0x7b],
    { problem: 'no-frame-header', offset: 560, frames: 3 },
  ],
  ['frames, padding, then text', [...SILENCE, 0, 0, 0x7b], { problem: 'no-frame-header', offset: 434, frames: 3 }],
  ['text', [...Buffer.from('hello')], { problem: 'no-frame-header', offset: 0, frames: 0 }],
])('finds a deviation in %s', (_name, bytes, problem) => {
  expect(findMp3FrameDeviation(Uint8Array.from(bytes))).toEqual({ code: 'mp3-malformed', params: problem })
})

test.each(['Xing', 'Info'])('does not count a frame that contains %s instead of sound', (name) => {
  const info = Buffer.from(PADDED)
  info.write(name, 4 + 32)
  const bytes = Uint8Array.from([...TAG, ...info, ...buildMp3(360)])
  expect(parseMp3(bytes)).toEqual({ frames: 10, durationMs: 360 })
  expect(parseMp3(info)).toEqual({ frames: 0, durationMs: 0 })
})

test('returns the total duration of all frames', () => {
  expect(parseMp3(buildMp3(360))).toEqual({ frames: 10, durationMs: 360 })
  expect(parseMp3(Uint8Array.from([...TAG, ...PADDED, ...SILENCE])).durationMs).toBeCloseTo(26.1 + 108, 1)
  expect(parseMp3(buildMp3(360).subarray(0, -1))).toMatchObject({ frames: 9, durationMs: 324 })
})
