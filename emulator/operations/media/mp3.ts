import { readTextTag, writeTextTag } from './id3.ts'
import { encodeFrame, FRAME_MS } from './mp3-frame.ts'
import { countFrames, planSpeech, type Sound } from './speech-plan.ts'

/** Names the text inside the file. */
const TRANSCRIPT_TAG = 'touchstone-transcript'

/** Names the seed inside the file: two takes of a short text would else be the same bytes by chance. */
const SEED_TAG = 'touchstone-take'

/** Frames of a sound repeat after this many: the turn of its phase comes round. */
const PHASES = 4

/**
 * An MP3 file (MPEG-2 layer III, mono, 24 kHz, 16 kbit/s) of {@link speechDurationMs} that babbles the text: audible,
 * different for each voice ID, the same for the same text, voice and seed. The text itself travels in the file's tag.
 */
export function speechMp3(options: { text: string; voice: string; seed: Uint8Array | number }): Buffer {
  const { text, voice, seed } = options
  const known = new Map<Sound, Buffer[]>()
  const frames = planSpeech(text, voice, seed).map((sound, index) => {
    const ofSound =
      known.get(sound) ?? Array.from({ length: PHASES }, (_, phase) => encodeFrame({ ...sound, index: phase }))
    known.set(sound, ofSound)
    return ofSound[index % PHASES] ?? Buffer.alloc(0)
  })
  const take = typeof seed === 'number' ? String(seed) : Buffer.from(seed).toString('hex')
  const tag = writeTextTag({ [TRANSCRIPT_TAG]: text, [SEED_TAG]: take })
  return Buffer.concat([tag, ...frames])
}

/**
 * How long the speech of a text lasts, in whole frames of 24 ms: about 66 ms a character, 0.3 s at least, half an hour at
 * most.
 */
export function speechDurationMs(text: string): number {
  return countFrames(text) * FRAME_MS
}

/**
 * The text of which {@link speechMp3} made the bytes, in this process or another; undefined for any other bytes. Never
 * throws. Lone surrogates come back as U+FFFD.
 */
export function transcribeOwnSpeech(bytes: Uint8Array): string | undefined {
  return readTextTag(bytes, TRANSCRIPT_TAG)
}
