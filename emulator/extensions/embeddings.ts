import { setImmediate } from 'node:timers/promises'
import { createParameterError, isApiError, type ApiError } from '../core/api-errors.ts'
import type { PreparedOperation, RequestFields } from '../operations/operation.ts'
import { checkAllowedValue, checkNotEmpty, checkRange, findModel, parseParameters } from '../operations/parameters.ts'
import { countTokens } from '../operations/text/count-tokens.ts'
import type { EmulatorSettings } from '../options/settings.ts'
import { createSeededRandom } from '../state/seeded-random.ts'
import { encodeVector } from './embedding-format.ts'
import { findIgnoredFields } from './ignored-fields.ts'

/** Parameters of POST /v1/embeddings, taken from the types of the openai SDK 7.0. */
const EMBEDDING_PARAMETERS = [
  { name: 'model', type: 'string', required: true },
  { name: 'input', type: 'json', required: true },
  { name: 'dimensions', type: 'integer', required: false, default: 1536 },
  { name: 'encoding_format', type: 'string', required: false, default: 'float' },
  { name: 'user', type: 'string', required: false, isIgnored: true },
] as const

const MAX_INPUTS = 2048
const MAX_DIMENSIONS = 3072
const FORMATS = ['float', 'base64'] as const

/** Number of vectors that the emulator computes before it handles other events. They take at most about 10 ms. */
const VECTORS_PER_TURN = 4

/** Number of significant decimal digits that represent every 32-bit floating-point number exactly. */
const FLOAT32_DIGITS = 9

/** One input to embed: a string, or a list of token IDs. */
interface EmbeddingInput {
  /** Text that, together with the model, determines the vector. */
  readonly identity: string
  readonly tokens: number
}

/**
 * Validates a request of POST /v1/embeddings. Each vector depends only on the text, the model and the number of
 * dimensions. It has unit length and is unrelated to the meaning of the text. The price is that of a chat prompt.
 */
export function prepareEmbeddings(fields: RequestFields, settings: EmulatorSettings): PreparedOperation | ApiError {
  const { behaviour } = settings
  const ignoredFields = findIgnoredFields(EMBEDDING_PARAMETERS, fields, behaviour)
  if (isApiError(ignoredFields)) return ignoredFields
  const values = parseParameters(EMBEDDING_PARAMETERS, fields, behaviour)
  if (isApiError(values)) return values
  const { dimensions, encoding_format: format } = values
  const error =
    checkRange('dimensions', dimensions, 1, MAX_DIMENSIONS) ?? checkAllowedValue('encoding_format', format, FORMATS)
  if (error !== undefined) return error
  const inputs = readInputs(values.input)
  if (isApiError(inputs)) return inputs
  const empty = inputs.some(({ tokens }) => tokens === 0) ? checkNotEmpty('input', '', behaviour) : undefined
  if (empty !== undefined) return empty
  const model = findModel(values.model, 'embeddings', settings)
  if (isApiError(model)) return model

  const usedTokens = inputs.reduce((total, { tokens }) => total + tokens, 0)
  return {
    operation: 'embeddings',
    model: model.id,
    unitsPerToken: model.unitsPerToken,
    fingerprint: `embeddings ${model.id} ${dimensions} ${format} ${JSON.stringify(values.input)}`,
    maxUsedTokens: usedTokens,
    freeTokens: behaviour['prompt-price'] === 'alike' ? 0 : usedTokens,
    ignoredFields,
    async generate() {
      const parts = [Buffer.from('{"object":"list","data":[')] // Joining strings of 90 MB would take a second.
      for (const [index, { identity }] of inputs.entries()) {
        // Lets the emulator serve other requests, because many long vectors take seconds.
        if (index % VECTORS_PER_TURN === VECTORS_PER_TURN - 1) await setImmediate()
        const vector = createVector(`${model.id} ${identity}`, dimensions)
        const embedding = JSON.stringify(format === 'base64' ? encodeVector(vector) : vector)
        parts.push(
          Buffer.from(`${index === 0 ? '' : ','}{"object":"embedding","index":${index},"embedding":${embedding}}`),
        )
      }
      const usage = JSON.stringify({ prompt_tokens: usedTokens, total_tokens: usedTokens })
      parts.push(Buffer.from(`],"model":${JSON.stringify(model.id)},"usage":${usage}}`))
      return { contentType: 'application/json', body: Buffer.concat(parts), usedTokens, lastToken: 0 }
    },
  }
}

/** Parses the parameter `input`: a string, a list of token IDs, or a list whose items are either. */
function readInputs(input: unknown): readonly EmbeddingInput[] | ApiError {
  const isSingle = typeof input === 'string' || isTokenList(input)
  const list: unknown = isSingle ? [input] : input
  if (!Array.isArray(list) || list.length === 0) return INVALID_INPUT
  if (list.length > MAX_INPUTS) {
    return createParameterError('input', `'input' must have at most ${MAX_INPUTS} items, not ${list.length}.`)
  }
  const inputs = list.flatMap((item: unknown): EmbeddingInput[] => {
    if (typeof item === 'string') return [{ identity: `text ${item}`, tokens: countTokens(item) }]
    return isTokenList(item) ? [{ identity: `tokens ${item.join()}`, tokens: item.length }] : []
  })
  return inputs.length === list.length ? inputs : INVALID_INPUT
}

const INVALID_INPUT = createParameterError(
  'input',
  "'input' must be a string, a list of token IDs, or a list of either with at least one item.",
)

function isTokenList(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((token) => Number.isSafeInteger(token) && token >= 0)
}

/**
 * Creates a vector of unit length with uniformly distributed components. A shorter vector has the direction of the
 * first components of a longer one. The vector does not depend on the seed, so that stored vectors remain valid.
 */
function createVector(identity: string, dimensions: number): readonly number[] {
  const random = createSeededRandom(0, `embedding ${identity}`, 0)
  const raw = Array.from({ length: dimensions }, () => 2 * random.next() - 1)
  const length = Math.hypot(...raw)
  return raw.map((component) => Number(Math.fround(component / length).toPrecision(FLOAT32_DIGITS)))
}
