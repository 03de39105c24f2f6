import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { generateSync, type JsonSchema as FakerSchema } from 'json-schema-faker'
import { getCorpus, type CorpusName } from '../text/corpus.ts'
import { countTokens } from '../text/count-tokens.ts'
import { checkRecursion } from './check-recursion.ts'
import {
  convertSchema,
  narrowSchema,
  PLAIN_TEXT_FORMAT,
  UnsupportedSchemaError,
  type JsonSchema,
} from './prepare-schema.ts'

/*
 * This file loads a schema compiler and a generator, and a schema can make both run for ever, so only `schema-thread.ts`
 * imports it. It validates every generated value, because the generator does not handle every combination of keywords.
 */

/**
 * Maximum number of values generated per request. The second half of the attempts generates only required properties.
 */
const MAX_ATTEMPTS = 20
/** Maximum depth of nested references, by attempt. Below that depth, the generator returns null. */
const REFERENCE_DEPTHS = [2, 2, 3, 4, 6, 10]
/** Maximum depth of nested references in the last attempt, for schemas that nest many definitions without recursion. */
const LAST_REFERENCE_DEPTH = 40
const OPTIONAL_PROPERTY_PROBABILITY = 0.8
/**
 * Maximum size of the values that the attempts for one schema generate: one for each value, plus the characters of texts
 * and constants. Nested arrays can require millions of items.
 */
const MAX_GENERATED_SIZE = 500_000
const TOO_LARGE = `requires more than ${MAX_GENERATED_SIZE} values and characters`
/** Replaces messages such as "Maximum call stack size exceeded", which describe the emulator and not the schema. */
const ENDLESS = 'refers to itself without an end, or requires a value that is too large'
/** Maximum number of compiled schemas that are kept for later requests. */
const MAX_COMPILED = 100
/** Maximum length of the JSON text of a schema that is kept. It limits the memory of all kept schemas. */
const MAX_KEPT_CHARACTERS = 16 * 1024
/** Number of tokens in a string without restrictions: the minimum, and the size of the range above it. */
const TEXT_TOKENS = { min: 2, range: 4 } as const

interface CompiledSchema {
  readonly validate: ValidateFunction
  readonly narrowed: FakerSchema
}

const compiledByText = new Map<string, CompiledSchema>()
/** Validates schemas only. Compiling the meta-schema takes longer than compiling most schemas. */
const schemaValidator = createCompiler()
schemaValidator.validateSchema({})

function createCompiler(): Ajv2020 {
  const compiler = new Ajv2020({
    strict: false,
    logger: false,
    validateSchema: false,
    code: { regExp: createPattern },
  })
  addFormats.default(compiler)
  compiler.addFormat('regex', isPattern)
  return compiler
}

/**
 * Creates a regular expression without the flag `u` if the pattern is only valid without it. The pattern `[\w-.]` is an
 * example.
 */
function createPattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return new RegExp(pattern, flags.replace('u', ''))
  }
}
createPattern.code = 'new RegExp' // The compiler requires this property, but uses it only for code that it writes to files.

function isPattern(pattern: string): boolean {
  try {
    return createPattern(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** A schema, and the seed and the preferred maximum length of a value that conforms to it. */
export interface GenerationTask {
  readonly schema: JsonSchema
  readonly seed: number
  readonly maxTokens: number
  /** Source of texts without restrictions. Default: `natural`. */
  readonly corpus?: CorpusName
}

/**
 * Generates values until one conforms to the schema and has at most `maxTokens` tokens. If no value is short enough,
 * returns the shortest value that conforms.
 * @returns the value as compact JSON
 * @throws UnsupportedSchemaError if no valid value is found
 */
export function generateJson({ schema, seed, maxTokens, corpus = 'natural' }: GenerationTask): string {
  const { narrowed, validate } = compile(JSON.stringify(schema), schema)
  let shortest: { readonly json: string; readonly tokens: number } | undefined
  let problem = 'it generates no value'
  let size = 0
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    try {
      const value = generateSync(narrowed, {
        seed: seed + attempt,
        refDepthMax: getReferenceDepth(attempt),
        optionalsProbability: attempt < MAX_ATTEMPTS / 2 ? OPTIONAL_PROPERTY_PROBABILITY : 0,
        formats: { [PLAIN_TEXT_FORMAT]: (words) => createText(corpus, words.next(), words.next()) },
        outputTransform(part, schemaOfPart) {
          size += 1 + countCharacters(part, schemaOfPart)
          if (size > MAX_GENERATED_SIZE) throw new UnsupportedSchemaError(TOO_LARGE)
          return part
        },
      })
      const json = JSON.stringify(value)
      if (json === undefined || !validate(JSON.parse(json))) {
        problem = schemaValidator.errorsText(validate.errors, { dataVar: 'value' })
        continue
      }
      const tokens = countTokens(json)
      if (tokens <= maxTokens) return json
      if (shortest === undefined || tokens < shortest.tokens) shortest = { json, tokens }
    } catch (error) {
      if (error instanceof RangeError && shortest === undefined) throw new UnsupportedSchemaError(ENDLESS)
      problem = describeError(error)
      if (size > MAX_GENERATED_SIZE && shortest === undefined) throw error
      if (size > MAX_GENERATED_SIZE) break
    }
  }
  if (shortest !== undefined) return shortest.json
  throw new UnsupportedSchemaError(`yields no conforming value in ${MAX_ATTEMPTS} attempts (${problem})`)
}

/** Counts the characters of a text or a constant. The parts of arrays and objects are counted one by one. */
function countCharacters(part: unknown, schema: FakerSchema): number {
  if (typeof part === 'string') return part.length
  const isConstant = typeof schema === 'object' && ('const' in schema || 'enum' in schema)
  return isConstant ? JSON.stringify(part).length : 0
}

function getReferenceDepth(attempt: number): number {
  if (attempt === MAX_ATTEMPTS - 1) return LAST_REFERENCE_DEPTH
  return REFERENCE_DEPTHS[attempt % REFERENCE_DEPTHS.length] ?? 2
}

/** Returns a few words of a corpus. `position` and `length` are fractions from 0 to 1. */
function createText(name: CorpusName, position: number, length: number): string {
  const corpus = getCorpus(name)
  const tokens = TEXT_TOKENS.min + Math.floor(length * TEXT_TOKENS.range)
  return corpus.getPassage(Math.floor(position * corpus.tokenCount), tokens)
}

function compile(text: string, schema: JsonSchema): CompiledSchema {
  const known = compiledByText.get(text)
  if (known !== undefined) return known
  const validated = convertSchema(schema)
  checkRecursion(validated)
  // The generator's types list only some of the keywords that it accepts, and only valid values.
  const narrowed = narrowSchema(validated) as FakerSchema
  const compiled = { validate: compileValidator(validated), narrowed }
  if (text.length > MAX_KEPT_CHARACTERS) return compiled
  const [oldest] = compiledByText.size < MAX_COMPILED ? [] : compiledByText.keys()
  if (oldest !== undefined) compiledByText.delete(oldest)
  compiledByText.set(text, compiled)
  return compiled
}

/** Compiles a schema with its own compiler, because a compiler never releases the values of its schemas. */
function compileValidator(schema: object | boolean): ValidateFunction {
  try {
    schemaValidator.validateSchema(schema, true)
    return createCompiler().compile(schema)
  } catch (error) {
    throw new UnsupportedSchemaError(`cannot be compiled: ${describeError(error)}`)
  }
}

function describeError(error: unknown): string {
  if (error instanceof RangeError) return `it ${ENDLESS}`
  return error instanceof Error ? error.message : String(error)
}
