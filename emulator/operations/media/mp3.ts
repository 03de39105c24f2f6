import { readTextTag, createTextTag } from './id3.ts'
import { encodeMp3Frame, MP3_FRAME_MS } from './mp3-frame.ts'
import {
  countSpeechFrames,
  FRAMES_PER_PHASE_CYCLE,
  planSpeech,
  TRANSCRIPT_TAG,
  type SpeechOptions,
  type SpeechSound,
} from './speech-plan.ts'

/**
 * Description of the ID3 text frame that contains the seed. Without the seed, two files of the same short text could be
 * identical by chance.
 */
const SEED_TAG = 'touchstone-take'

/**
 * Creates an MP3 file (MPEG-2 layer III, mono, 24 kHz, 16 kbit/s) with a sound that imitates speech. {@link
 * computeSpeechMs} computes its duration at normal speed. Each voice sounds different. The same options produce the
 * same file. The ID3 tag contains the text.
 */
export function synthesizeMp3(speech: SpeechOptions): Buffer {
  const { text, seed } = speech
  const framesBySound = new Map<SpeechSound, Buffer[]>()
  const frames = planSpeech(speech).map((sound, index) => {
    const soundFrames =
      framesBySound.get(sound) ??
      Array.from({ length: FRAMES_PER_PHASE_CYCLE }, (_, phase) => encodeMp3Frame({ ...sound, index: phase }))
    framesBySound.set(sound, soundFrames)
    return soundFrames[index % FRAMES_PER_PHASE_CYCLE] ?? Buffer.alloc(0)
  })
  const seedText = typeof seed === 'number' ? String(seed) : Buffer.from(seed).toString('hex')
  const tag = createTextTag({ [TRANSCRIPT_TAG]: text, [SEED_TAG]: seedText })
  return Buffer.concat([tag, ...frames])
}

/**
 * Computes the duration of a spoken text in milliseconds: about 66 ms per character, from 0.3 s to 30 minutes, in whole
 * frames of 24 ms.
 */
export function computeSpeechMs(text: string): number {
  return countSpeechFrames(text) * MP3_FRAME_MS
}

/**
 * Returns the text of an MP3 file that {@link synthesizeMp3} created, even in another process. Returns undefined for
 * other files. Lone surrogates of the text become U+FFFD. Never throws.
 */
export function transcribeGeneratedMp3(bytes: Uint8Array): string | undefined {
  return readTextTag(bytes, TRANSCRIPT_TAG)
}
