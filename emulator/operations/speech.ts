import { PARAMETERS } from '../../contract/facts.ts'
import { synthesizeSpeech } from './media/mp3.ts'
import { isApiError, type ApiError } from '../core/api-errors.ts'
import { countTokens } from './text/count-tokens.ts'
import type { OperationContext, RequestFields, PreparedOperation } from './operation.ts'
import { findModel, parseParameters, parseOptionalFields, checkAllowedValue, checkNotEmpty } from './parameters.ts'

/** Validates a request of POST /v1/audio/speech (section 4.5). */
export function prepareSpeech(fields: RequestFields, { settings }: OperationContext): PreparedOperation | ApiError {
  const { behaviour } = settings
  const optional = parseOptionalFields('speech', fields, behaviour)
  if (isApiError(optional)) return optional
  const values = parseParameters(PARAMETERS.speech, fields, behaviour)
  if (isApiError(values)) return values
  const { input, voice } = values
  const error =
    checkNotEmpty('input', input, behaviour) ??
    checkNotEmpty('voice', voice, behaviour) ??
    checkAllowedValue('voice', voice, behaviour.voices)
  if (error !== undefined) return error
  const model = findModel(values.model, 'speech', settings)
  if (isApiError(model)) return model

  const usedTokens = countTokens(input) // 0 for an empty text.
  return {
    operation: 'speech',
    model: model.id,
    unitsPerToken: model.unitsPerToken,
    fingerprint: `speech ${model.id} ${voice} ${input}`,
    maxUsedTokens: usedTokens,
    freeTokens: 0,
    ignoredFields: optional.ignored,
    generate: (random) => ({
      contentType: 'audio/mpeg',
      body: synthesizeSpeech({ text: input, voice, seed: Buffer.from(random.hexDigits(16), 'hex') }),
      usedTokens,
      lastToken: 0,
    }),
  }
}
