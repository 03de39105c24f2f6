import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
import type { AudioFormat } from './audio.ts'

/** Operations for which the document does not say which models serve them (section 2.1, last line). */
export const SEARCHED_OPERATIONS = ['images', 'transcriptions', 'speech'] as const

/** One of these operations. */
export type SearchedOperation = (typeof SEARCHED_OPERATIONS)[number] & Operation

/** A form of a valid request: fields beyond the usual ones, and another audio format than WAV. */
export interface RequestForm {
  readonly fields: Readonly<Record<string, string | number>>
  readonly audio?: AudioFormat
}

/**
 * Request forms for the search for models, the least surprising first. Includes a form with a field that the document
 * calls optional: one check tests that field, and all others then use it.
 */
export const REQUEST_FORMS: Readonly<Record<SearchedOperation, readonly RequestForm[]>> = {
  images: [{ fields: {} }, { fields: { size: '1024x1024' } }, { fields: { n: 1 } }],
  transcriptions: [{ fields: {} }, { fields: {}, audio: 'mp3' }, { fields: { language: 'en' } }],
  speech: [{ fields: {} }, { fields: { voice: 'alloy' } }],
}

const ABOUT_KEY_OR_MODEL: readonly number[] = [401, 402, 404, 429]

/** Returns whether the form of a request may be the reason for the error response. */
export function rejectsForm({ status, error }: Exchange): boolean {
  return error === undefined && status >= 400 && status < 500 && !ABOUT_KEY_OR_MODEL.includes(status)
}
