import type { Operation } from '../../contract/facts.ts'
import type { FormValue } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import { buildMp3 } from './mp3.ts'
import { buildWav } from './wav.ts'

/** The operations for which the document does not say which models serve them (section 2.1, last line). */
export const SEARCHED = ['images', 'transcriptions', 'speech'] as const

/** One of these operations. */
export type Searched = (typeof SEARCHED)[number] & Operation

/** Formats of audio that the suite can send: which ones a target accepts is not shown (section 4.4). */
export type AudioFormat = 'wav' | 'mp3'

const AUDIO_MS = 1000

const AUDIO: Readonly<Record<AudioFormat, FormValue>> = {
  wav: { bytes: buildWav(AUDIO_MS), filename: 'speech.wav', mediaType: 'audio/wav' },
  mp3: { bytes: buildMp3(AUDIO_MS), filename: 'speech.mp3', mediaType: 'audio/mpeg' },
}

/** A second of audio as a file of a form. */
export function audioFile(format: AudioFormat): FormValue {
  return AUDIO[format]
}

/** A way to ask for an operation: fields beyond the usual ones, and another format than WAV. */
export interface Form {
  readonly fields: Readonly<Record<string, string | number>>
  readonly audio?: AudioFormat
}

/**
 * Forms in which a model is asked whether it serves an operation, the least surprising first. A field that the document
 * calls optional is tried too: the check of that field says what is wrong, and all others are made with it.
 */
export const FORMS: Readonly<Record<Searched, readonly Form[]>> = {
  images: [{ fields: {} }, { fields: { size: '1024x1024' } }, { fields: { n: 1 } }],
  transcriptions: [{ fields: {} }, { fields: {}, audio: 'mp3' }, { fields: { language: 'en' } }],
  speech: [{ fields: {} }, { fields: { voice: 'alloy' } }],
}

const ABOUT_KEY_OR_MODEL: readonly number[] = [401, 402, 404, 429]

/** True when the form of a request may be why it was refused. */
export function refusesForm({ status, error }: Exchange): boolean {
  return error === undefined && status >= 400 && status < 500 && !ABOUT_KEY_OR_MODEL.includes(status)
}
