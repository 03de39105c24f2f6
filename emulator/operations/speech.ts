import { PARAMETERS } from '../../contract/facts.ts'
import { speechMp3 } from './media/mp3.ts'
import { isRefusal, type Refusal } from '../core/api-errors.ts'
import { countTokens } from './text/count-tokens.ts'
import type { ReadContext, RequestFields, Work } from './operation.ts'
import { findModel, readParameters, requireListed, requireText } from './parameters.ts'

/** POST /v1/audio/speech (section 4.5). */
export function readSpeech(fields: RequestFields, { settings }: ReadContext): Work | Refusal {
  const { decisions } = settings
  const values = readParameters(PARAMETERS.speech, fields, decisions)
  if (isRefusal(values)) return values
  const { input, voice } = values
  const fault =
    requireText('input', input, decisions) ??
    requireText('voice', voice, decisions) ??
    requireListed('voice', voice, decisions.voices)
  if (fault !== undefined) return fault
  const model = findModel(values.model, 'speech', decisions)
  if (isRefusal(model)) return model

  const usedTokens = countTokens(input) // none for an empty text
  return {
    operation: 'speech',
    model: model.id,
    fingerprint: `speech ${model.id} ${voice} ${input}`,
    ceilingTokens: usedTokens,
    freeTokens: 0,
    generate: (draw) => ({
      contentType: 'audio/mpeg',
      body: speechMp3({ text: input, voice, seed: Buffer.from(draw.hex(16), 'hex') }),
      usedTokens,
      lastToken: 0,
    }),
  }
}
