import { createTextTag, readTextTag } from './id3.ts'
import {
  FRAMES_PER_PHASE_CYCLE,
  planSpeech,
  TRANSCRIPT_TAG,
  type SpeechOptions,
  type SpeechSound,
} from './speech-plan.ts'

/** Sample rate of WAV files, the same as that of MP3 files. */
const SAMPLE_RATE_HZ = 24_000
const BYTES_PER_SAMPLE = 2
/** Number of samples in a frame of 24 ms. */
const FRAME_SAMPLES = 576
/** Amplitude of one spectral line at VOWEL_GAIN. Each gain step changes the level by 1.5 dB. */
const VOWEL_AMPLITUDE = 2180
const VOWEL_GAIN = 194

/** Synthesizes speech as raw samples: 16 bits, little-endian, mono, 24 kHz. */
export function synthesizePcm(speech: SpeechOptions): Buffer {
  return Buffer.concat(renderFrames(speech))
}

function renderFrames(speech: SpeechOptions): readonly Buffer[] {
  const framesBySound = new Map<SpeechSound, readonly Buffer[]>()
  return planSpeech(speech).map((sound, index) => {
    const ofSound = framesBySound.get(sound) ?? renderSound(sound)
    framesBySound.set(sound, ofSound)
    return ofSound[index % FRAMES_PER_PHASE_CYCLE] ?? Buffer.alloc(0)
  })
}

/** Renders the frames of one phase cycle of a sound. Spectral line k advances by (k + 1/2) half turns per frame. */
function renderSound({ lines, gain }: SpeechSound): readonly Buffer[] {
  const amplitude = VOWEL_AMPLITUDE * 10 ** (((gain - VOWEL_GAIN) * 1.5) / 20)
  return Array.from({ length: FRAMES_PER_PHASE_CYCLE }, (_, frame) => {
    const bytes = Buffer.alloc(FRAME_SAMPLES * BYTES_PER_SAMPLE)
    for (let sample = 0; sample < FRAME_SAMPLES; sample += 1) {
      const turns = frame + sample / FRAME_SAMPLES
      const value = lines.reduce((sum, line) => sum + Math.sin(Math.PI * (line + 0.5) * turns), 0)
      bytes.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(amplitude * value))), sample * BYTES_PER_SAMPLE)
    }
    return bytes
  })
}

/** Synthesizes speech as a WAV file. A chunk with an ID3 tag contains the text. */
export function synthesizeWav(speech: SpeechOptions): Buffer {
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0) // PCM.
  format.writeUInt16LE(1, 2) // Mono.
  format.writeUInt32LE(SAMPLE_RATE_HZ, 4)
  format.writeUInt32LE(SAMPLE_RATE_HZ * BYTES_PER_SAMPLE, 8)
  format.writeUInt16LE(BYTES_PER_SAMPLE, 12)
  format.writeUInt16LE(8 * BYTES_PER_SAMPLE, 14)
  const tag = createTextTag({ [TRANSCRIPT_TAG]: speech.text })
  const chunks = [['fmt ', [format]] as const, ['id3 ', [tag]] as const, ['data', renderFrames(speech)] as const]
  const parts = chunks.flatMap(([type, data]) => createChunk(type, data))
  return Buffer.concat(createChunk('RIFF', [Buffer.from('WAVE'), ...parts]))
}

/**
 * Returns the parts of a RIFF chunk: type, length and data, with a padding byte if the length is odd. Only the whole
 * file is joined, because it can have 90 MB.
 */
function createChunk(type: string, data: readonly Buffer[]): readonly Buffer[] {
  const length = data.reduce((sum, part) => sum + part.length, 0)
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(length, 4)
  return [head, ...data, Buffer.alloc(length % 2)]
}

/**
 * Returns the text of a WAV file that {@link synthesizeWav} created. Returns undefined for other files. Never throws.
 */
export function transcribeGeneratedWav(bytes: Buffer): string | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') return undefined
  let at = 12
  while (at + 8 <= bytes.length) {
    const size = bytes.readUInt32LE(at + 4)
    const data = bytes.subarray(at + 8, at + 8 + size)
    if (bytes.toString('latin1', at, at + 4) === 'id3 ') return readTextTag(data, TRANSCRIPT_TAG)
    at += 8 + size + (size % 2)
  }
  return undefined
}
