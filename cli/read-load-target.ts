import type { parseTargetFile } from '../conformance/run-conformance.ts'
import {
  type GivenOptions,
  KEY_OPTIONS,
  MODEL_OPERATIONS,
  type ModelOperation,
  OPTION_READERS,
  OPTION_TABLE,
  SCENARIOS,
} from '../load/run-load.ts'
import { CommandLineError } from './command-line-error.ts'
import { addressOf, readTextFile } from './target-file.ts'

type FileOptions = ReturnType<typeof parseTargetFile>
type Models = NonNullable<GivenOptions['models']>

/**
 * Adds the options of a target file to the options of the command line, which have precedence. Headers and models are
 * merged individually.
 * @param generalKeys names of the key options whose values come from the environment. A key of the file replaces them.
 *   The run does not use them if the file declares a target without keys.
 * @throws CommandLineError
 */
export async function readLoadTarget(
  path: string,
  given: GivenOptions,
  generalKeys: readonly string[] = [],
): Promise<GivenOptions> {
  const text = await readTextFile('--target', path, 'check the path')
  const { target: _, ...others } = given
  const role = (SCENARIOS[given.scenario ?? OPTION_TABLE.scenario.default] ?? SCENARIOS['chat-stream'])?.key ?? 'funded'
  const name = KEY_OPTIONS[role].option
  const source = generalKeys.includes(name) ? 'generalKeys' : 'keys'
  const keys = given[name] === undefined ? {} : { [source]: { [role]: given[name] } }
  const file = await parseFile(text, { name: path, environment: process.env, roles: [role], ...keys })
  validateOffers(file, given, path)
  const key = file.keys[role]
  const { limitedRate, smallBalance } = file.declarations ?? {}
  const hasNoKeys = file.differences?.authentication !== undefined
  return {
    ...(role === 'limited' && limitedRate !== undefined
      ? { limit: { requests: limitedRate.requests, windowS: limitedRate.seconds, obey: false } }
      : {}),
    ...(role === 'small' && smallBalance !== undefined ? { smallBalance: String(smallBalance) } : {}),
    ...(file.insecure === undefined ? {} : { insecure: file.insecure }),
    ...(hasNoKeys || file.without?.includes('credits') === true ? { credits: false } : {}),
    ...others,
    ...(key === undefined ? {} : { [name]: key }),
    // Keys in the environment may belong to another service.
    ...(hasNoKeys ? Object.fromEntries(generalKeys.map((general) => [general, undefined])) : {}),
    target: addressOf(path, file),
    headers: [...readHeaders(file, path), ...(given.headers ?? [])],
    models: mergeModels(chooseModels(file.models), given.models ?? []),
  }
}

/** Parses the file. The suite is imported dynamically, because a run without a target file does not need it. */
async function parseFile(text: string, context: Parameters<typeof parseTargetFile>[1]): Promise<FileOptions> {
  const suite = await import('../conformance/run-conformance.ts')
  const { describeUsageError } = await import('./messages/conformance-messages.ts')
  try {
    return suite.parseTargetFile(text, context)
  } catch (error) {
    const sentence = describeUsageError(error)
    throw sentence === undefined ? error : new CommandLineError(sentence)
  }
}

/**
 * Validates that the target offers the operations that the scenario sends.
 * @throws CommandLineError
 */
function validateOffers({ without = [] }: FileOptions, { scenario, weights }: GivenOptions, path: string): void {
  const name = scenario ?? OPTION_TABLE.scenario.default
  const sent = SCENARIOS[name]?.operations ?? []
  const isMissing = (operation: string) => without.some((part) => part === operation.replace('-stream', ''))
  const missing = sent.find(
    (operation) => isMissing(operation) && (weights === undefined || (weights[operation] ?? 0) > 0),
  )
  if (missing === undefined) return
  const offered = sent.filter((operation) => !isMissing(operation))
  const remedy =
    name === 'mixed' || name === 'soak'
      ? `Set the shares of the other operations, such as --weights ${offered.map((operation) => `${operation}=1`).join(',')}.`
      : 'Use a scenario of the other operations, such as --scenario chat-stream.'
  throw new CommandLineError(
    `${path} declares that the target does not offer ${missing}, which the scenario ${name} sends. ${remedy}`,
  )
}

/** @throws CommandLineError for a header that a load test sets itself */
function readHeaders({ headers, secretHeaders = [] }: FileOptions, path: string): NonNullable<GivenOptions['headers']> {
  return headers.map((line) => {
    try {
      const header = OPTION_READERS.header(line)
      return secretHeaders.includes(header.name) ? { ...header, isSecret: true } : header
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      throw new CommandLineError(`${path}: headers. ${problem}.`)
    }
  })
}

/** Adds the models of the command line, which replace those of the file for the same operations. */
function mergeModels(declared: Models, given: Models): Models {
  const isReplaced = ({ operation }: Models[number]) =>
    given.some((one) => one.operation === null || one.operation === operation)
  return [...declared.filter((model) => !isReplaced(model)), ...given]
}

/**
 * Chooses a declared model for each operation: the cheapest of those that declare the operation, or of those that
 * declare no operation.
 */
function chooseModels(declared: FileOptions['models']): Models {
  const options = declared ?? {}
  return MODEL_OPERATIONS.flatMap((operation) => {
    const model = isList(options) ? chooseModel(options, operation) : options[operation]
    return model === undefined ? [] : [{ operation, model }]
  })
}

type DeclaredModels = Extract<NonNullable<FileOptions['models']>, readonly unknown[]>

function isList(models: NonNullable<FileOptions['models']>): models is DeclaredModels {
  return Array.isArray(models)
}

function chooseModel(declared: DeclaredModels, operation: ModelOperation): string | undefined {
  const models = declared.map((model) => (typeof model === 'string' ? { id: model } : model))
  const serving = models.filter(({ operations }) => operations?.includes(operation) === true)
  const candidates = serving.length > 0 ? serving : models.filter(({ operations }) => operations === undefined)
  return candidates.toSorted((a, b) => (a.price ?? Infinity) - (b.price ?? Infinity))[0]?.id
}
