import { type Operation, PARAMETER_DEFAULTS } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
import type { AudioFormat } from './audio.ts'
import { SMALL_MAX_TOKENS } from './small-max-tokens.ts'

/** Operations whose models section 2.1 does not state, so that discovery searches for one. */
export const SEARCHED_OPERATIONS = ['images', 'transcriptions', 'speech'] as const

export type SearchedOperation = (typeof SEARCHED_OPERATIONS)[number] & Operation

/** Additional fields, without those whose value is undefined, and the audio format of a valid request. */
export interface RequestForm {
  readonly fields: Readonly<Record<string, string | number | boolean | undefined>>
  readonly audio?: AudioFormat
}

/** Forms of requests that discovery tries, the most common first. Some have a field that a target may require. */
export const REQUEST_FORMS: Readonly<Record<SearchedOperation, readonly RequestForm[]>> = {
  images: [{ fields: {} }, { fields: { size: '1024x1024' } }, { fields: { n: 1 } }],
  transcriptions: [{ fields: {} }, { fields: {}, audio: 'mp3' }, { fields: { language: 'en' } }],
  speech: [{ fields: {} }, { fields: { voice: 'alloy' } }],
}

/** Forms of a chat for targets that reject the usual one, the most common one first. */
export const CHAT_FORMS: readonly RequestForm[] = [
  { fields: { max_tokens: SMALL_MAX_TOKENS.larger } },
  { fields: { max_tokens: undefined } },
  { fields: { stream: false } },
  { fields: { temperature: PARAMETER_DEFAULTS.temperature } },
]

/** Removes the parameters that the target rejects, apart from `tested`, the parameter that the check tests. */
export function applyForm(
  form: RequestForm | undefined,
  fields: Readonly<Record<string, unknown>>,
  tested: string | undefined,
): { readonly form: RequestForm; readonly fields: Readonly<Record<string, unknown>> } {
  const known = Object.entries(form?.fields ?? {}).filter(
    ([name]) => name !== tested || form?.fields[name] !== undefined,
  )
  const rejected = known.flatMap(([name, value]) => (value === undefined ? [name] : []))
  return {
    form: { ...form, fields: Object.fromEntries(known) },
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !rejected.includes(name))),
  }
}

const KEY_OR_MODEL_STATUSES: readonly number[] = [401, 402, 403, 404, 429]

/** Returns whether the form of the request may be the reason for the error response. */
export function isFormRejection({ status, error }: Exchange): boolean {
  return error === undefined && status >= 400 && status < 500 && !KEY_OR_MODEL_STATUSES.includes(status)
}
