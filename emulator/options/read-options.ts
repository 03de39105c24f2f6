import { readFileSync } from 'node:fs'
import type { OptionRow } from '../../common/options/option-table.ts'
import { EXTENSIONS, isExtension } from '../operations/served-operations.ts'
import { parseFaultRules } from '../scripting/faults/parse-fault-rule.ts'
import { createFrozenClock, createRealClock, createVirtualClock } from '../state/clock.ts'
import { parseRateLimit } from '../state/limits/rate-limit.ts'
import type { EmulatorOptions } from './emulator-options.ts'
import { InvalidOptionError } from './invalid-option-error.ts'
import { OPTION_TABLE } from './option-table.ts'
import { describeDuplicateModel, parseCustomModels } from './parse-custom-models.ts'
import { describeSyntaxError, parseJsonText } from '../../common/parse-json.ts'
import { parseLatency } from './parse-latency.ts'
import { parseRequestLogLimits } from './parse-request-log-limits.ts'
import { parseBehaviourOption, type BehaviourOptions } from './unspecified-behaviour/behaviour-options.ts'
import { parseNewAccount, type NewAccount } from '../state/parse-new-account.ts'

type OptionName = keyof typeof OPTION_TABLE
type OptionType = (typeof OPTION_TABLE)[OptionName]['type']

/**
 * Result of parsing an option: its value, a sentence that lists the valid values, or a sentence about an unusable file.
 */
type ParseResult = { readonly value: unknown } | { readonly expected: string } | { readonly problem: string }

/**
 * Parses options by name. Each value is a string (flag, environment variable) or a JSON value (config file). A later
 * value replaces an earlier value with the same name, but `options`, `faults`, `accounts` and `models` are merged.
 * @throws InvalidOptionError if a value is invalid
 */
export function readOptions(values: Iterable<readonly [name: string, value: unknown]>): EmulatorOptions {
  const options: Record<string, unknown> = {}
  for (const [name, value] of values) {
    const read = readOption(name, value)
    const list = MERGED_LISTS[name]
    if (list !== undefined) options[list] = [...toList(options[list]), ...toList(read)]
    else if (name === 'options') options[name] = { ...Object(options[name]), ...Object(read) }
    else options[name] = read
  }
  const resolved = options as EmulatorOptions // The parser of each option returns the type of its row.
  const repeated = describeDuplicateModel(resolved.models ?? [])
  if (repeated === undefined) return resolved
  throw new InvalidOptionError({ reason: 'invalid-value', option: 'models', expected: repeated })
}

/** Names of the options whose lists are merged, by the name in the input. */
const MERGED_LISTS: Readonly<Record<string, keyof EmulatorOptions>> = {
  fault: 'faults',
  faults: 'faults',
  accounts: 'accounts',
  models: 'models',
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function readOption(name: string, value: unknown): unknown {
  if (!isOptionName(name)) {
    throw new InvalidOptionError({ reason: 'unknown-option', option: name, known: Object.keys(OPTION_TABLE) })
  }
  const row: OptionRow & { readonly type: OptionType } = OPTION_TABLE[name]
  const result = PARSERS[row.type](value, row)
  if ('value' in result) return result.value
  if ('problem' in result) throw new InvalidOptionError({ reason: 'unusable-file', option: name, ...result })
  const { expected } = result
  const shown = row.isSecret === true ? {} : { value: describeValue(value) }
  throw new InvalidOptionError({ reason: 'invalid-value', option: name, ...shown, expected })
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTION_TABLE, name)
}

/** Formats any value as JSON, or as its type if JSON cannot represent it. */
function describeValue(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value
  } catch {
    return typeof value
  }
}

const PARSERS: { readonly [Type in OptionType]: (value: unknown, row: OptionRow) => ParseResult } = {
  integer: (value, { min = 0, max = Number.MAX_SAFE_INTEGER }) => {
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
    const isWithin = typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max
    return isWithin ? { value: number } : { expected: `It must be an integer from ${min} to ${max}.` }
  },
  boolean: (value) => {
    const isOn = value === true || value === 'true'
    return isOn || value === false || value === 'false' ? { value: isOn } : { expected: 'It must be true or false.' }
  },
  choice: (value, { choices = [] }) =>
    choices.some((choice) => choice === value) ? { value } : { expected: `It must be ${choices.join(' or ')}.` },
  host: (value) => (isText(value) ? { value } : { expected: 'It must be a host name or address.' }),
  url: (value) => {
    const isUrl = /^https?:$/.test(URL.parse(String(value))?.protocol ?? '')
    return isUrl ? { value: String(value).replace(/\/+$/, '') } : { expected: 'It must be an http or https URL.' }
  },
  folder: (value) => (isText(value) ? { value } : { expected: 'It must be the path of a directory.' }),
  fixtures: (value) => (isText(value) ? { value } : { expected: 'It must be the path of a file or directory.' }),
  'field-names': (value) => {
    const names: unknown = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value
    const isList = Array.isArray(names) && names.length > 0 && names.every(isText)
    return isList ? { value: names } : { expected: 'It must be a list of field names such as tools,user.' }
  },
  'control-token': (value) =>
    typeof value === 'string' && /^[!-~]{8,200}$/.test(value)
      ? { value }
      : { expected: 'It must be 8 to 200 ASCII characters without spaces.' },
  clock: readClock,
  'answer-tokens': (value) => {
    if (value === 'natural' || value === 'fill') return { value }
    if (/^[1-9]\d{0,8}$/.test(String(value))) return { value: Number(value) }
    return { expected: 'It must be natural, fill or a number of tokens.' }
  },
  latency: (value) => toResult(parseLatency(value)),
  'request-log-bounds': (value) => toResult(parseRequestLogLimits(value)),
  'rate-limit': (value) => toResult(parseRateLimit(value)),
  accounts: (value) => toResult(parseAccounts(value)),
  models: (value) => toResult(parseCustomModels(value)),
  'behaviour-options': readBehaviourOptions,
  extensions: readExtensions,
  faults: (value) => toResult(parseFaultRules(value)),
  'fault-file': (value) => (typeof value === 'string' ? readFaultFile(value) : toResult(parseFaultRules(value))),
}

function toResult(read: object | string): ParseResult {
  return typeof read === 'string' ? { expected: read } : { value: read }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** Parses a clock. Creates one for `real`, too, so that a later `real` replaces an earlier virtual clock. */
function readClock(value: unknown): ParseResult {
  if (value === 'real') return { value: createRealClock() }
  const [, kind, seconds] = /^(frozen|virtual)(?::(\d{1,10}))?$/.exec(String(value)) ?? []
  if (kind === 'virtual') return { value: createVirtualClock(seconds === undefined ? undefined : Number(seconds)) }
  if (seconds === undefined) {
    return { expected: 'It must be real, frozen:<Unix seconds>, virtual or virtual:<Unix seconds>.' }
  }
  return { value: createFrozenClock(Number(seconds)) }
}

/** Parses the names of extensions: a list, or a string separated by commas. */
function readExtensions(value: unknown): ParseResult {
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const names = items.flatMap((item) => String(item).split(',')).map((name) => name.trim())
  const isKnown = names.every((name) => isExtension(name))
  return isKnown ? { value: [...new Set(names)] } : { expected: `Use ${Object.keys(EXTENSIONS).join(', ')}, or both.` }
}

/** Parses options for unspecified behaviour: an object, a list of `name=value`, or a string separated by commas. */
function readBehaviourOptions(value: unknown): ParseResult {
  const parts: unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : []
  const pairs: [string, unknown][] =
    parts.length > 0
      ? parts.map((part) => {
          const [id = '', ...choice] = String(part).split('=')
          return [id.trim(), choice.join('=')]
        })
      : Object.entries(value ?? {})
  let options: Partial<BehaviourOptions> = {}
  for (const [id, choice] of pairs) {
    const option = parseBehaviourOption(id, choice)
    if (typeof option === 'string') return { expected: option }
    options = { ...options, ...option }
  }
  return { value: options }
}

function readFaultFile(file: string): ParseResult {
  try {
    const value = parseJsonText(readFileSync(file, 'utf8'))
    return toResult(parseFaultRules(value))
  } catch (error) {
    if (error instanceof SyntaxError)
      return { problem: `The file ${file} is not valid JSON: ${describeSyntaxError(error)}.` }
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return { problem: `The file ${file} cannot be read (${code}). Check the path.` }
  }
}

/**
 * Parses the accounts that exist from the start: a list of strings or objects, or one string with accounts separated by
 * semicolons. An account is, for example, `key=sk-svc-mine,credits=5,requestsPerMinute=60,burst=5`.
 * @returns the accounts, or a sentence that describes the error without the key
 */
function parseAccounts(value: unknown): readonly NewAccount[] | string {
  const items: unknown[] = typeof value === 'string' ? value.split(';') : Array.isArray(value) ? value : [value]
  const accounts: NewAccount[] = []
  for (const item of items) {
    const account = typeof item === 'string' ? parsePairs(item) : item
    const parsed = parseNewAccount(account)
    if (typeof parsed === 'string') {
      const isSentence = parsed.startsWith('Send')
      return isSentence
        ? 'An account has the form key=sk-svc-mine,credits=5 or {"key": "sk-svc-mine", "credits": "5"}.'
        : parsed
    }
    accounts.push(account as NewAccount) // The parser has checked every field.
  }
  return accounts
}

/** Account fields whose values are strings. All other fields belong to a rate limit. */
const TEXT_FIELDS: readonly string[] = ['key', 'credits', 'algorithm']

function parsePairs(text: string): unknown {
  const pairs = text.split(',').map((part) => {
    const [name = '', ...rest] = part.split('=')
    const value = rest.join('=').trim()
    return [name.trim(), TEXT_FIELDS.includes(name.trim()) || !/^\d+$/.test(value) ? value : Number(value)] as const
  })
  return text.includes('=') ? Object.fromEntries(pairs) : text
}
