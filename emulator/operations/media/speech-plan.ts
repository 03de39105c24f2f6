import { createMulberry32, hashFnv1a } from '../../state/seeded-random.ts'
import { MP3_FRAME_MS, SPECTRAL_LINE_HZ } from './mp3-frame.ts'

/*
 * Imitates speech. A vowel is a chord: a tone and its overtones near the two formants of the vowel. A consonant is a
 * softer chord, and a pause is silence. Each letter lasts about as long as in natural speech.
 */

/** Options that determine the sound of speech, in every audio format. */
export interface SpeechOptions {
  readonly text: string
  readonly voice: string
  readonly seed: Uint8Array | number
  /** Speaking rate relative to normal speech. Default: 1. */
  readonly speed?: number
}

/** Sound of one frame. Frames with the same sound share one object. */
export interface SpeechSound {
  readonly lines: readonly number[]
  readonly gain: number
}

/** Number of frames after which the phase of each spectral line repeats. */
export const FRAMES_PER_PHASE_CYCLE = 4

/** Description of the ID3 text frame that contains the transcript, in every audio format. */
export const TRANSCRIPT_TAG = 'touchstone-transcript'

/** Number of frames per character, for about 15 characters per second. */
const FRAMES_PER_CHARACTER = 2.75
const MIN_FRAMES = 13
/** Maximum length of speech in frames: 30 minutes. Speech for longer text is truncated. */
const MAX_FRAMES = (30 * 60 * 1000) / MP3_FRAME_MS

const SILENT_SOUND: SpeechSound = { lines: [], gain: 0 }
/** Level of each spectral line of a vowel. A chord of five lines peaks at about a third of full scale. */
const VOWEL_GAIN = 194
const CONSONANT_GAIN = 187

const VOWELS = 'aeiou'
/** First and second formant of each vowel: rounded averages of adult speakers. */
const FORMANTS_HZ = [
  [750, 1200],
  [500, 1900],
  [300, 2300],
  [500, 900],
  [320, 800],
] as const

interface Voice {
  /** Index of the spectral line of the pitch, from 94 to 240 Hz. */
  readonly pitchLine: number
  /** Factor by which the formants are multiplied. It corresponds to the length of the vocal tract. */
  readonly formantScale: number
  /** Index of the spectral line of a faint high tone that characterizes the voice. */
  readonly timbreLine: number
}

/**
 * Computes the number of frames of a spoken text, from MIN_FRAMES to MAX_FRAMES.
 * @param speed speaking rate relative to normal speech
 */
export function countSpeechFrames(text: string, speed = 1): number {
  // A character has at most two UTF-16 code units, so later characters of a long text cannot change the result.
  const characters = Array.from(text.slice(0, 2 * MAX_FRAMES)).length
  return Math.min(MAX_FRAMES, Math.max(MIN_FRAMES, Math.ceil((characters * FRAMES_PER_CHARACTER) / speed)))
}

/** Plans the sound of each frame of a spoken text. The seed determines how the pitch changes from word to word. */
export function planSpeech({ text, voice: voiceId, seed, speed = 1 }: SpeechOptions): SpeechSound[] {
  const frames = countSpeechFrames(text, speed)
  const characters = selectAudibleCharacters(text)
  const perCharacter = Math.max(FRAMES_PER_CHARACTER / speed, frames / characters.length)
  const voice = createVoice(voiceId)
  const random = createMulberry32(seed)
  const soundsByKey = new Map<string, SpeechSound>()
  const sounds: SpeechSound[] = []
  let bend = 0
  for (const [index, character] of characters.entries()) {
    const end = Math.min(frames, Math.round((index + 1) * perCharacter))
    bend = isPause(character) ? Math.floor(3 * random()) - 1 : bend
    const sound = getSound(character, { ...voice, pitchLine: voice.pitchLine + bend }, soundsByKey)
    while (sounds.length < end) {
      sounds.push(sound)
    }
  }
  return sounds
}

/**
 * Returns the characters to speak. Replaces text that contains only pauses with a vowel, so that the file is never
 * silent.
 */
function selectAudibleCharacters(text: string): string[] {
  const characters = Array.from(text.slice(0, 2 * MAX_FRAMES))
  return characters.every(isPause) ? ['o'] : characters
}

function isPause(character: string): boolean {
  return /^[\s\p{P}]$/u.test(character)
}

function createVoice(voiceId: string): Voice {
  const random = createMulberry32(hashFnv1a(Buffer.from(voiceId)))
  return {
    pitchLine: 5 + Math.floor(6 * random()),
    formantScale: 0.85 + 0.4 * random(),
    timbreLine: 120 + Math.floor(40 * random()),
  }
}

function getSound(character: string, voice: Voice, soundsByKey: Map<string, SpeechSound>): SpeechSound {
  if (isPause(character)) {
    return SILENT_SOUND
  }
  const letter = character.normalize('NFD').charAt(0).toLowerCase()
  const isConsonant = /[b-df-hj-np-tv-z]/.test(letter)
  // Digits, emoji and letters of other scripts sound like one of the vowels.
  const vowel = VOWELS.includes(letter) ? VOWELS.indexOf(letter) : (character.codePointAt(0) ?? 0) % VOWELS.length
  const key = `${voice.pitchLine} ${vowel} ${isConsonant}`
  const sound = soundsByKey.get(key) ?? {
    lines: createChord(voice, FORMANTS_HZ[vowel] ?? FORMANTS_HZ[0]),
    gain: isConsonant ? CONSONANT_GAIN : VOWEL_GAIN,
  }
  soundsByKey.set(key, sound)
  return sound
}

/**
 * Returns the spectral lines of a chord: the tone, its octave, the overtones closest to the formants, and the voice's
 * timbre line.
 */
function createChord({ pitchLine, formantScale, timbreLine }: Voice, formantsHz: readonly number[]): number[] {
  const pitchHz = (pitchLine + 0.5) * SPECTRAL_LINE_HZ
  const overtones = formantsHz.map((formantHz) => Math.max(1, Math.round((formantHz * formantScale) / pitchHz)))
  const lines = [1, 2, ...overtones].map((overtone) => Math.round(overtone * (pitchLine + 0.5) - 0.5))
  return [...new Set([...lines, timbreLine])].sort((one, other) => one - other)
}
