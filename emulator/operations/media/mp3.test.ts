import fc from 'fast-check'
import { MPEGDecoder } from 'mpg123-decoder'
import { beforeAll, describe, expect, test } from 'vitest'
import { measureAudioMs } from './audio-file.ts'
import { createTextArbitrary } from '../../tests/support/any-text.ts'
import { computeSpeechMs, synthesizeMp3, transcribeGeneratedMp3 } from './mp3.ts'

const SENTENCE = 'Hello there, how are you today?'

const decoder = new MPEGDecoder()
beforeAll(() => decoder.ready)

describe('generated speech', () => {
  const texts = ['', 'a', '...', SENTENCE, SENTENCE.repeat(40), 'Grüße, 漢字 and 👍🏽!', '12 34']

  test.each(texts)('generated speech of %j is audible in another decoder, for the planned duration', async (text) => {
    const { samples, durationMs, errors } = await play(synthesizeMp3({ text, voice: 'alloy', seed: 1 }))
    expect(errors).toEqual([])
    expect(durationMs).toBe(computeSpeechMs(text))
    expect(loudness(samples)).toBeGreaterThan(0.02)
    // The loudest sample stays below full scale, so nothing is clipped.
    expect(samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)).toBeLessThan(0.9)
  })

  test('generated speech lasts about one second per 15 characters, at most 30 minutes', () => {
    expect(computeSpeechMs('x'.repeat(1500)) / 1000).toBeCloseTo(99, 0)
    expect(computeSpeechMs('')).toBe(312)
    expect(computeSpeechMs('👍'.repeat(100))).toBe(computeSpeechMs('x'.repeat(100)))
    expect(computeSpeechMs('x'.repeat(1_000_000))).toBe(1_800_000)
  })

  test('generated speech pauses between words', async () => {
    const { samples } = await play(synthesizeMp3({ text: 'aaaaa     aaaaa', voice: 'alloy', seed: 1 }))
    const third = Math.floor(samples.length / 3)
    const middle = samples.subarray(third + third / 3, 2 * third - third / 3)
    expect(loudness(middle)).toBeLessThan(0.001)
    expect(loudness(samples.subarray(0, third))).toBeGreaterThan(0.02)
    expect(loudness(samples.subarray(2 * third))).toBeGreaterThan(0.02)
  })

  test('generated speech is identical for the same text, voice and seed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.integer(), (text, voice, seed) => {
        expect(synthesizeMp3({ text, voice, seed }).equals(synthesizeMp3({ text, voice, seed }))).toBe(true)
      }),
    )
  })

  test('generated speech sounds different for each voice', async () => {
    const voices = ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer', 'verse']
    const sounds = []
    for (const voice of voices) {
      sounds.push((await play(synthesizeMp3({ text: SENTENCE, voice, seed: 1 }))).samples)
    }
    for (const [index, sound] of sounds.entries()) {
      for (const other of sounds.slice(index + 1)) {
        const difference = sound.map((sample, at) => sample - (other[at] ?? 0))
        expect(loudness(difference)).toBeGreaterThan(0.3 * loudness(sound))
      }
    }
  })

  test('generated speech changes with the seed', () => {
    const files = [1, 2, 3, 4].map((seed) => synthesizeMp3({ text: SENTENCE, voice: 'alloy', seed }).toString('hex'))
    expect(new Set(files).size).toBe(files.length)
  })
})

describe('transcription of generated speech', () => {
  test('transcription of generated speech returns its text', () => {
    fc.assert(
      fc.property(createTextArbitrary(), (text) => {
        expect(transcribeGeneratedMp3(synthesizeMp3({ text, voice: 'alloy', seed: 1 }))).toBe(text)
      }),
    )
  })

  test.each(['👍🏽 emoji, 漢字', '\uFEFFbyte order mark', 'zero \0 inside and after\0', 'x'.repeat(100_000)])(
    'transcription of generated speech returns the text %j',
    (text) => {
      expect(transcribeGeneratedMp3(synthesizeMp3({ text, voice: 'alloy', seed: 1 }))).toBe(text)
    },
  )

  test('transcription returns U+FFFD for a lone surrogate', () => {
    expect(transcribeGeneratedMp3(synthesizeMp3({ text: 'a\uD83Db', voice: 'alloy', seed: 1 }))).toBe('a\uFFFDb')
  })

  test('transcribes a file truncated after its tag', () => {
    const file = synthesizeMp3({ text: SENTENCE, voice: 'alloy', seed: 1 })
    expect(transcribeGeneratedMp3(file.subarray(0, 200))).toBe(SENTENCE)
  })

  test('transcription returns undefined for bytes that are not an intact generated MP3 file', () => {
    const file = synthesizeMp3({ text: SENTENCE, voice: 'alloy', seed: 1 })
    expect(transcribeGeneratedMp3(file.subarray(file.indexOf(0xff)))).toBeUndefined()
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(80), (noise, at) => {
        expect(transcribeGeneratedMp3(noise)).toBeUndefined()
        const tagged = Buffer.from([...Buffer.from('ID3'), 3 + (at % 2), 0, 0, 0, 0, 1, 0, ...noise])
        expect(transcribeGeneratedMp3(tagged)).toBeUndefined()
        const damaged = Buffer.from(file.subarray(0, 300))
        damaged.set(noise.subarray(0, 20), at)
        expect(() => transcribeGeneratedMp3(damaged)).not.toThrow()
        expect(() => measureAudioMs(damaged)).not.toThrow()
      }),
      { numRuns: process.env['TOUCHSTONE_LONG'] === '1' ? 20_000 : 300 },
    )
  })
})

interface Played {
  readonly samples: Float32Array
  readonly durationMs: number
  readonly errors: readonly unknown[]
}

async function play(file: Uint8Array): Promise<Played> {
  const { channelData, samplesDecoded, sampleRate, errors } = decoder.decode(file)
  await decoder.reset()
  return { samples: channelData[0] ?? new Float32Array(), durationMs: (1000 * samplesDecoded) / sampleRate, errors }
}

/** Computes the root mean square of samples. A square wave at full scale has the value 1. */
function loudness(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
}
