import { MPEGDecoder } from 'mpg123-decoder'
import { beforeAll, expect, test } from 'vitest'
import { encodeMp3Frame, MP3_FRAME_MS, SPECTRAL_LINE_HZ } from './mp3-frame.ts'

const SAMPLE_RATE_HZ = 24_000

const decoder = new MPEGDecoder()
beforeAll(() => decoder.ready)

// Covers even and odd lines, neighbours within a pair and across pairs, and both sides of a subband border (every 18 lines).
const chords = [[4], [5], [4, 5], [5, 6], [8, 17, 18, 40], [150]].map((lines) => ({ lines }))

test.each(chords)(
  'encodes the spectral lines $lines as steady tones of exactly these frequencies',
  async ({ lines }) => {
    const frames = Array.from({ length: 60 }, (_, index) => encodeMp3Frame({ lines, gain: 194, index }))
    const { channelData, samplesDecoded } = decoder.decode(Buffer.concat(frames))
    await decoder.reset()
    expect(samplesDecoded).toBe((60 * MP3_FRAME_MS * SAMPLE_RATE_HZ) / 1000)
    // Takes samples from the middle, because the decoder needs some frames to settle.
    const samples = channelData[0]?.subarray(5760, 5760 + 23_040) ?? new Float32Array()
    const measured = lines.map((line) => toneEnergy(samples, (line + 0.5) * SPECTRAL_LINE_HZ))
    const energy = samples.reduce((sum, sample) => sum + sample * sample, 0)
    expect(measured.reduce((sum, one) => sum + one, 0) / energy).toBeGreaterThan(0.75)
    // Neighbouring lines leak into each other, so their energies differ. A missing line would have an energy of 0.
    expect(Math.min(...measured) / Math.max(...measured)).toBeGreaterThan(0.2)
  },
)

test('rejects spectral lines that need more bits than the frame has', () => {
  const lines = Array.from({ length: 200 }, (_, index) => 2 * index)
  expect(() => encodeMp3Frame({ lines, gain: 194, index: 0 })).toThrow(RangeError)
})

/** Computes the energy of one frequency in the samples, by correlation with its sine and cosine. */
function toneEnergy(samples: Float32Array, hz: number): number {
  let [sine, cosine] = [0, 0]
  for (const [at, sample] of samples.entries()) {
    const turn = (2 * Math.PI * hz * at) / SAMPLE_RATE_HZ
    sine += sample * Math.sin(turn)
    cosine += sample * Math.cos(turn)
  }
  return (2 * (sine * sine + cosine * cosine)) / samples.length
}
