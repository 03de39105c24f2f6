import { readFileSync } from 'node:fs'
import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import { omitUndefined } from '../../common/json-object.ts'
import { MAX_JSON_DEPTH, parseJsonText } from '../../common/parse-json.ts'
import type { JsonSchema } from '../../common/schema/build-schema.ts'
import { locateSchemaProblems, type SchemaProblem } from '../../common/schema/find-schema-problems.ts'
import { KEY_PREFIX, type Operation } from '../../contract/facts.ts'
import { type CheckWithReason, KEY_NAMES, type TargetKeys } from '../options/table-options.ts'
import { OPTIONAL_PARTS, type OptionalPart } from '../options/option-table.ts'
import type { Declarations } from './declarations.ts'
import { resolveTarget, type TargetOptions } from './resolve-target.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'

export interface TargetFileOptions extends TargetOptions {
  readonly url?: string
  readonly keys: TargetKeys
  readonly headers: readonly string[]
  readonly budgets?: readonly string[]
  readonly samples?: number
  readonly knownFailures?: readonly CheckWithReason[]
  readonly acceptedNotTestable?: readonly CheckWithReason[]
}

/** Input of the target file parser, besides the text of the file. */
export interface TargetFileContext {
  readonly name: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Keys from the command line, which replace keys in the file. */
  readonly keys?: TargetKeys
  /** Keys from the variables of the options. They replace a key of the file only if its own variable is not set. */
  readonly generalKeys?: TargetKeys
  /** Roles of the keys to read. A file may name variables of other keys that are not set. Default: all roles. */
  readonly roles?: readonly (keyof TargetKeys)[]
}

/** A target file after schema validation. */
interface TargetFile
  extends
    Omit<TargetFileOptions, 'keys' | 'headers' | 'secretHeaders' | 'declarations' | 'without'>,
    Omit<Declarations, 'keys.revoked' | 'limitedRate'> {
  readonly keys?: Readonly<Partial<Record<(typeof KEY_NAMES)[number]['account'], string>>>
  readonly headers?: Readonly<Record<string, string | { readonly env: string }>>
  readonly operations?: Readonly<Partial<Record<Operation, boolean>>>
  readonly credits?: boolean
  readonly rateLimit?: boolean
  readonly limits?: {
    readonly limitedBurst?: number
    readonly limitedKey?: Declarations['limitedRate']
    readonly requestsPerMinute?: number
    readonly maxFlakes?: number
  }
}

// A test verifies that the file is a schema of this type.
const SCHEMA = JSON.parse(readFileSync(new URL('target.schema.json', import.meta.url), 'utf8')) as JsonSchema

/** Parses a target file, and reads secrets from the environment. An InvalidOptionError contains no value. */
export function parseTargetFile(text: string, context: TargetFileContext): TargetFileOptions {
  const file = parse(text, context.name)
  const { keys = {}, headers = {}, limits = {}, operations, credits, rateLimit, $schema: _, ...rest } = file
  const { qualityParameter, vision, balance, smallBalance, smallChats, aliases, ...same } = rest
  const { limitedKey, ...otherLimits } = limits
  const offered: Partial<Record<OptionalPart, boolean | undefined>> = {
    ...operations,
    credits,
    'rate-limit': rateLimit,
  }
  const without = OPTIONAL_PARTS.filter((part) => offered[part] === false)
  const secretHeaders = Object.keys(headers).filter((name) => typeof headers[name] !== 'string')
  const ofFile = readKeys(keys, context)
  const keyVariables = Object.fromEntries(ofFile.map(({ name, variable }) => [name, variable]))
  const options: TargetFileOptions = {
    ...same,
    ...otherLimits,
    keys: Object.fromEntries(ofFile.map(({ name, key }) => [name, key])),
    ...(ofFile.length === 0 ? {} : { keyVariables }),
    headers: Object.entries(headers).map(([name, value]) => `${name}: ${headerValue(name, value, context)}`),
    ...(secretHeaders.length === 0 ? {} : { secretHeaders }),
    ...(without.length === 0 ? {} : { without }),
    declarations: omitUndefined({
      qualityParameter,
      vision,
      balance,
      smallBalance,
      smallChats,
      aliases,
      limitedRate: limitedKey,
    }),
  }
  validateInFile(context.name, () => {
    resolveTarget({ ...options, url: options.url ?? PLACEHOLDER, keys: context.keys ?? {}, embedded: false })
  })
  return options
}

/** Stands for the URL when a file that contains none is validated. */
const PLACEHOLDER = 'http://target.invalid'

/** Validates options so that an InvalidOptionError names the file that contains them. */
export function validateInFile(file: string, validate: () => unknown): void {
  try {
    validate()
  } catch (error) {
    throw error instanceof InvalidOptionError ? new InvalidOptionError({ ...error.params, file }) : error
  }
}

function parse(text: string, name: string): TargetFile & { readonly $schema?: string } {
  const value = parseJsonFile(text, name)
  const [problem] = locateSchemaProblems(SCHEMA, value, 'the file')
  if (problem !== undefined) {
    const line = findLine(text, problem.location)
    throw new InvalidOptionError({ reason: 'invalid-file', file: name, problem: `line ${line}: ${problem.text}` })
  }
  // The schema validation above guarantees this type.
  return value as TargetFile
}

/** Returns the number of the line in which a value of a JSON file starts, from 1. */
function findLine(text: string, location: SchemaProblem['location']): number {
  const root = parseTree(text)
  const node = root === undefined ? undefined : findNodeAtLocation(root, [...location])
  // The node of a member is its value. Its parent, the property, starts with the name.
  const offset = (node?.parent?.type === 'property' ? node.parent : node)?.offset ?? 0
  return text.slice(0, offset).split('\n').length
}

/** Parses JSON. An InvalidOptionError contains the position of a syntax error, and no text of the file. */
export function parseJsonFile(text: string, name: string): unknown {
  try {
    return parseJsonText(text)
  } catch (error) {
    const place = /line \d+ column \d+/.exec(String(error))?.[0]
    const reason = place === undefined ? `, or is nested more than ${MAX_JSON_DEPTH} deep` : `, from ${place} on`
    const problem = `this is not valid JSON${reason}`
    throw new InvalidOptionError({ reason: 'invalid-file', file: name, problem })
  }
}

function readKeys(
  variables: NonNullable<TargetFile['keys']>,
  { name: file, environment, keys = {}, generalKeys = {}, roles }: TargetFileContext,
): readonly { readonly name: keyof TargetKeys; readonly variable: string; readonly key: string }[] {
  const isReplaced = (name: keyof TargetKeys, variable: string): boolean =>
    Object.hasOwn(keys, name) || (Object.hasOwn(generalKeys, name) && (environment[variable] ?? '') === '')
  return KEY_NAMES.flatMap(({ name, account }) => {
    const variable = variables[account]
    const isRead = roles === undefined || roles.includes(name)
    if (variable === undefined || !isRead || isReplaced(name, variable)) return []
    return [{ name, variable, key: valueOf(variable, { file, field: `keys.${account}` }, environment) }]
  })
}

function headerValue(
  name: string,
  value: string | { readonly env: string },
  { name: file, environment }: TargetFileContext,
): string {
  if (typeof value !== 'string') return valueOf(value.env, { file, field: `headers.${name}` }, environment)
  if (!value.includes(KEY_PREFIX)) return value
  const problem = `headers.${name} contains a key: write { "env": "NAME" } and set that variable`
  throw new InvalidOptionError({ reason: 'invalid-file', file, problem })
}

function valueOf(
  variable: string,
  place: { readonly file: string; readonly field: string },
  environment: TargetFileContext['environment'],
): string {
  const value = environment[variable] ?? ''
  if (value !== '') return value
  // A value that is not a variable name may be a key in the wrong place, so the message omits it.
  const shown = /^[A-Z][A-Z0-9_]*$/.test(variable) ? { variable } : {}
  throw new InvalidOptionError({ reason: 'unset-variable', ...place, ...shown })
}
