import { PARAMETERS } from '../../contract/facts.ts'
import { synthesizeMp3 } from './media/mp3.ts'
import { synthesizePcm, synthesizeWav } from './media/wav.ts'
import { createParameterError, isApiError, type ApiError } from '../core/api-errors.ts'
import { countTokens } from './text/count-tokens.ts'
import type { OperationContext, RequestFields, PreparedOperation } from './operation.ts'
import { findModel, parseParameters, parseOptionalFields, checkAllowedValue, checkNotEmpty } from './parameters.ts'

export const SPEECH_FORMATS = {
  mp3: { contentType: 'audio/mpeg', synthesize: synthesizeMp3 },
  wav: { contentType: 'audio/wav', synthesize: synthesizeWav },
  pcm: { contentType: 'audio/pcm', synthesize: synthesizePcm },
} as const

export const SPEED_RANGE = { lowest: 0.25, highest: 4 } as const

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

  const format = parseFormat(optional.served?.['response_format'])
  if (isApiError(format)) return format
  const speed = parseSpeed(optional.served?.['speed'])
  if (isApiError(speed)) return speed

  const usedTokens = countTokens(input) // An empty text has 0 tokens.
  return {
    operation: 'speech',
    model: model.id,
    unitsPerToken: model.unitsPerToken,
    fingerprint: `speech ${model.id} ${voice} ${input}`,
    maxUsedTokens: usedTokens,
    freeTokens: 0,
    ignoredFields: optional.ignored,
    generate: (random) => ({
      contentType: SPEECH_FORMATS[format].contentType,
      body: SPEECH_FORMATS[format].synthesize({
        text: input,
        voice,
        seed: Buffer.from(random.hexDigits(16), 'hex'),
        speed,
      }),
      usedTokens,
      lastToken: 0,
    }),
  }
}

function parseFormat(value: unknown): keyof typeof SPEECH_FORMATS | ApiError {
  if (value === undefined) return 'mp3'
  if (value === 'mp3' || value === 'wav' || value === 'pcm') return value
  const isKnown = value === 'opus' || value === 'aac' || value === 'flac'
  const reason = isKnown ? `; the emulator cannot encode ${value}` : ''
  return createParameterError('response_format', `'response_format' must be mp3, wav or pcm${reason}.`)
}

function parseSpeed(value: unknown): number | ApiError {
  const { lowest, highest } = SPEED_RANGE
  if (value === undefined) return 1
  if (typeof value === 'number' && value >= lowest && value <= highest) return value
  return createParameterError('speed', `'speed' must be a number from ${lowest} to ${highest}.`)
}
