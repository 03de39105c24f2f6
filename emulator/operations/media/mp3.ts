import { readTextTag, writeTextTag } from './id3.ts'
import { encodeFrame, FRAME_MS } from './mp3-frame.ts'
import { countFrames, planSpeech, type Sound } from './speech-plan.ts'

/** Description of the ID3 text that contains the transcript. */
const TRANSCRIPT_TAG = 'touchstone-transcript'

/**
 * Description of the ID3 text that contains the seed. Without it, two files of a short text could be identical by
 * chance.
 */
const SEED_TAG = 'touchstone-take'

/** Number of frames after which a steady tone returns to its phase. */
const PHASES = 4

/**
 * Creates an MP3 file (MPEG-2 layer III, mono, 24 kHz, 16 kbit/s) that lasts {@link planSpeechMs}. The sound
 * imitates speech: audible, different for each voice, and identical for the same text, voice and seed. The ID3 tag
 * contains the text.
 */
export function synthesizeSpeech(options: { text: string; voice: string; seed: Uint8Array | number }): Buffer {
  const { text, voice, seed } = options
  const framesBySound = new Map<Sound, Buffer[]>()
  const frames = planSpeech(text, voice, seed).map((sound, index) => {
    const soundFrames =
      framesBySound.get(sound) ?? Array.from({ length: PHASES }, (_, phase) => encodeFrame({ ...sound, index: phase }))
    framesBySound.set(sound, soundFrames)
    return soundFrames[index % PHASES] ?? Buffer.alloc(0)
  })
  const seedText = typeof seed === 'number' ? String(seed) : Buffer.from(seed).toString('hex')
  const tag = writeTextTag({ [TRANSCRIPT_TAG]: text, [SEED_TAG]: seedText })
  return Buffer.concat([tag, ...frames])
}

/**
 * Computes the duration of the speech of a text in milliseconds, in whole frames of 24 ms: about 66 ms per character,
 * from 0.3 s to half an hour.
 */
export function planSpeechMs(text: string): number {
  return countFrames(text) * FRAME_MS
}

/**
 * Returns the text of an MP3 file that {@link synthesizeSpeech} created, in any process; undefined for other bytes. Never
 * throws. Lone surrogates are returned as U+FFFD.
 */
export function transcribeOwnSpeech(bytes: Uint8Array): string | undefined {
  return readTextTag(bytes, TRANSCRIPT_TAG)
}
