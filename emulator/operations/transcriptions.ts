import { createHash } from 'node:crypto'
import { PARAMETERS } from '../../contract/facts.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import { isKnownAudio, measureAudioMs } from './media/audio-file.ts'
import { transcribeGeneratedMp3 } from './media/mp3.ts'
import { transcribeGeneratedWav } from './media/wav.ts'
import { renderTranscription, TRANSCRIPTION_FORMATS, type TranscriptionFormat } from './transcription-formats.ts'
import { createParameterError, isApiError, type ApiError } from '../core/api-errors.ts'
import { getCorpus } from './text/corpus.ts'
import { countTokens } from './text/count-tokens.ts'
import type { OperationContext, RequestFields, PreparedOperation } from './operation.ts'
import { findModel, parseParameters, parseOptionalFields } from './parameters.ts'

/** Assumed speaking rate, which determines the length of a generated text. */
const TOKENS_PER_SECOND = 2.5

/** Assumed data rate of audio whose format is unknown: 128 kbit/s. */
const DEFAULT_BYTES_PER_SECOND = 16_000

/**
 * Maximum length of a generated text. Without this limit, a small file whose header claims a duration of days would
 * produce a huge text.
 */
const MAX_TOKENS = 20_000

/**
 * Validates a request of POST /v1/audio/transcriptions (section 4.4). The transcription of speech that the emulator
 * generated is its original text. For any other file, the emulator generates text whose length is proportional to the
 * duration. Audio formats are unspecified.
 */
export function prepareTranscription(
  fields: RequestFields,
  { settings }: OperationContext,
): PreparedOperation | ApiError {
  const { behaviour } = settings
  const optional = parseOptionalFields('transcriptions', fields, behaviour)
  if (isApiError(optional)) return optional
  const values = parseParameters(PARAMETERS.transcriptions, fields, behaviour)
  if (isApiError(values)) return values
  const { bytes } = values.file
  const error = checkFile(bytes, behaviour) ?? checkLanguage(values.language, behaviour)
  if (error !== undefined) return error
  const model = findModel(values.model, 'transcriptions', settings)
  if (isApiError(model)) return model

  const format = parseFormat(optional.served?.['response_format'])
  if (isApiError(format)) return format

  const spoken = transcribeGeneratedMp3(bytes) ?? transcribeGeneratedWav(bytes)
  const usedTokens = Math.max(1, spoken === undefined ? estimateTokens(bytes) : countTokens(spoken))
  // A form keeps only the last value of a repeated field, so `segment` may have replaced an earlier `word`. Words are
  // therefore included whenever the field is present.
  const hasWords = Object.keys(optional.served ?? {}).some((name) => name.startsWith('timestamp_granularities'))
  const corpus = getCorpus(behaviour.text === 'ascii' ? 'ascii' : 'spoken')
  const digest = createHash('sha256').update(bytes).digest('hex')
  return {
    operation: 'transcriptions',
    model: model.id,
    unitsPerToken: model.unitsPerToken,
    fingerprint: `transcriptions ${model.id} ${values.language ?? ''} ${digest}`,
    maxUsedTokens: usedTokens,
    freeTokens: 0,
    ignoredFields: optional.ignored,
    generate(random, _created, scripted) {
      const text = scripted?.text ?? spoken ?? corpus.getPassage(random.integerBelow(corpus.tokenCount), usedTokens)
      const durationMs = measureAudioMs(bytes) ?? Math.round((1000 * usedTokens) / TOKENS_PER_SECOND)
      const transcription = { text, durationMs, language: values.language, hasWords }
      return { ...renderTranscription(transcription, format), usedTokens, lastToken: 0 }
    },
  }
}

function parseFormat(value: unknown): TranscriptionFormat | ApiError {
  const format = TRANSCRIPTION_FORMATS.find((name) => name === (value ?? 'json'))
  if (format !== undefined) return format
  return createParameterError(
    'response_format',
    `'response_format' must be one of ${TRANSCRIPTION_FORMATS.join(', ')}.`,
  )
}

function checkFile(bytes: Buffer, behaviour: BehaviourOptions): ApiError | undefined {
  const maxBytes = behaviour['most-file-bytes']
  if (bytes.length === 0) return createParameterError('file', "'file' must not be empty.")
  if (bytes.length > maxBytes) {
    return createParameterError('file', `'file' must have at most ${maxBytes} bytes, not ${bytes.length}.`)
  }
  if (behaviour['audio-formats'] === 'any' || isKnownAudio(bytes)) return undefined
  return createParameterError('file', "'file' must be WAV, MP3, FLAC, Ogg, WebM or MP4 audio.")
}

function checkLanguage(language: string | undefined, behaviour: BehaviourOptions): ApiError | undefined {
  if (language === undefined || behaviour.language === 'any' || /^[a-z]{2}$/.test(language)) return undefined
  return createParameterError('language', "'language' must be a code of two letters (ISO 639-1), such as en.")
}

function estimateTokens(bytes: Buffer): number {
  const durationMs = measureAudioMs(bytes)
  const seconds = durationMs === undefined ? bytes.length / DEFAULT_BYTES_PER_SECOND : durationMs / 1000
  return Math.min(MAX_TOKENS, Math.round(seconds * TOKENS_PER_SECOND))
}
