import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measureAudioMs, parseFrameHeader } from './audio-file.ts'
import { computeSpeechMs, synthesizeMp3 } from './mp3.ts'

describe('duration of a WAV file', () => {
  test('the duration of a WAV file is the size of its data divided by the byte rate', () => {
    expect(measureAudioMs(wav(32_000))).toBe(1000)
    expect(measureAudioMs(wav(8000))).toBe(250)
  })

  test('computes the duration of a WAV file with other chunks, even of odd length, before the data', () => {
    expect(measureAudioMs(wav(32_000, chunk('LIST', Buffer.alloc(7))))).toBe(1000)
  })

  test('computes the duration of a WAV file from the existing data if its header states a larger size', () => {
    expect(measureAudioMs(wav(32_000).subarray(0, 44 + 16_000))).toBe(500)
  })

  test('the duration of a WAV file without a rate or data is unknown', () => {
    expect(measureAudioMs(wav(0))).toBeUndefined()
    expect(measureAudioMs(wav(32_000).fill(0, 28, 32))).toBeUndefined()
  })
})

describe('duration of an MP3 file', () => {
  const speech = synthesizeMp3({ text: 'Hello there, how are you?', voice: 'alloy', seed: 1 })
  const durationMs = computeSpeechMs('Hello there, how are you?')
  const audio = speech.subarray(speech.length - (durationMs / 24) * 48)

  test('the duration of an MP3 file is the sum of its frame durations, with or without an ID3 tag', () => {
    expect(measureAudioMs(speech)).toBe(durationMs)
    expect(measureAudioMs(audio)).toBe(durationMs)
    expect(measureAudioMs(Buffer.concat([audio, Buffer.from('TAG'), Buffer.alloc(125)]))).toBe(durationMs)
  })

  test('skips bytes between the frames of an MP3 file', () => {
    expect(measureAudioMs(Buffer.concat([Buffer.alloc(500), audio, Buffer.alloc(700), audio]))).toBe(2 * durationMs)
    const chance = Buffer.from([0xff, 0xfb, 0x90, 0, ...Buffer.alloc(500)])
    expect(measureAudioMs(Buffer.concat([chance, audio]))).toBe(durationMs)
  })

  test('the duration of text, pictures, empty input and noise is unknown', () => {
    expect(measureAudioMs(Buffer.from('not audio at all'))).toBeUndefined()
    expect(measureAudioMs(new Uint8Array())).toBeUndefined()
    expect(measureAudioMs(Buffer.alloc(100_000, 0xff))).toBeUndefined()
  })
})

const headers: [kind: string, bytes: number[], lengthBytes: number, durationMs: number][] = [
  ['version 1 layer III, 128 kbit/s at 44.1 kHz', [0xff, 0xfb, 0x90, 0], 417, 1_152_000 / 44_100],
  ['the same, padded', [0xff, 0xfb, 0x92, 0], 418, 1_152_000 / 44_100],
  ['version 2 layer III, 16 kbit/s at 24 kHz', [0xff, 0xf3, 0x24, 0], 48, 24],
  ['version 2.5 layer III, 8 kbit/s at 8 kHz', [0xff, 0xe3, 0x18, 0], 72, 72],
  ['version 1 layer II, 192 kbit/s at 48 kHz', [0xff, 0xfd, 0xa4, 0], 576, 24],
  ['version 1 layer I, 384 kbit/s at 48 kHz', [0xff, 0xff, 0xc4, 0], 384, 8],
]

test.each(headers)('reads the MP3 frame header of %s', (_, bytes, lengthBytes, durationMs) => {
  expect(parseFrameHeader(Uint8Array.from(bytes), 0)).toEqual({ lengthBytes, durationMs })
})

test('the duration of any bytes is an integer or undefined', () => {
  const start = fc.constantFrom(
    '',
    'RIFF....WAVE',
    'RIFF....WAVEfmt ',
    'ID3\u0004',
    '\u00ff\u00fb',
    '\u00ff\u00f3\u0024',
  )
  fc.assert(
    fc.property(start, fc.uint8Array({ maxLength: 4000 }), (prefix, noise) => {
      const durationMs = measureAudioMs(Buffer.concat([Buffer.from(prefix, 'latin1'), noise]))
      expect(durationMs === undefined || (Number.isInteger(durationMs) && durationMs >= 0)).toBe(true)
    }),
    { numRuns: process.env['TOUCHSTONE_LONG'] === '1' ? 20_000 : 300 },
  )
})

/** Builds a WAV file of 16-bit mono audio at 16 kHz, which contains 32,000 bytes per second. */
function wav(dataBytes: number, before: Uint8Array = new Uint8Array()): Buffer {
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(16_000, 4)
  format.writeUInt32LE(32_000, 8)
  format.writeUInt16LE(2, 12)
  format.writeUInt16LE(16, 14)
  return Buffer.concat([
    Buffer.from('RIFF\0\0\0\0WAVE'),
    chunk('fmt ', format),
    before,
    chunk('data', Buffer.alloc(dataBytes)),
  ])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const header = Buffer.alloc(8)
  header.write(type, 0, 'latin1')
  header.writeUInt32LE(data.length, 4)
  return Buffer.concat([header, data, new Uint8Array(data.length % 2)])
}
