import { PARAMETERS } from '../../contract/facts.ts'
import { speechMp3 } from '../media/mp3.ts'
import { isRefusal, type Refusal } from '../refusals.ts'
import { countTokens } from '../text/count-tokens.ts'
import type { ReadContext, RequestFields, Work } from './operation.ts'
import { findModel, readParameters, requireText } from './parameters.ts'

/** POST /v1/audio/speech (section 4.5). Any voice ID will do: the list of valid ones is not shown. */
export function readSpeech(fields: RequestFields, _context: ReadContext): Work | Refusal {
  const values = readParameters(PARAMETERS.speech, fields)
  if (isRefusal(values)) return values
  const { input, voice } = values
  const fault = requireText('input', input) ?? requireText('voice', voice)
  if (fault !== undefined) return fault
  const model = findModel(values.model)
  if (isRefusal(model)) return model

  const usedTokens = countTokens(input)
  return {
    operation: 'speech',
    model: model.id,
    fingerprint: `speech ${model.id} ${voice} ${input}`,
    ceilingTokens: usedTokens,
    generate: (draw) => ({
      contentType: 'audio/mpeg',
      body: speechMp3({ text: input, voice, seed: Buffer.from(draw.hex(16), 'hex') }),
      usedTokens,
      lastToken: 0,
    }),
  }
}
