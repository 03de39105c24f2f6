import type { EmulatorOptions } from './emulator-options.ts'
import { InvalidOptionError } from './invalid-option-error.ts'
import { OPTION_TABLE, type OptionRow } from './option-table.ts'
import { readOptions as readOrThrow } from './read-options.ts'
import { BEHAVIOUR_OPTIONS, type BehaviourOptionId } from './unspecified-behaviour/behaviour-options.ts'
import type { BehaviourOptionValue } from './unspecified-behaviour/option-row.ts'

/* Exports of the package entry with the types of version 0.1. */

type BehaviourTable = typeof BEHAVIOUR_OPTIONS

/** An option for unspecified behaviour, with the current field names and those of version 0.1. */
type FormerDecision<Row extends BehaviourTable[BehaviourOptionId]> = Row & {
  readonly about: string
  readonly byDefault: BehaviourOptionValue<Row>
  readonly why: string
} & (Row extends { readonly min: number } ? { readonly least: number; readonly most: number } : unknown)

/** Options for unspecified behaviour, by id, with the field names of version 0.1. */
export const DECISIONS = Object.fromEntries(
  Object.entries(BEHAVIOUR_OPTIONS).map(([id, row]) => {
    const { topic: about, default: byDefault, reason: why } = row
    const bounds = 'min' in row ? { least: row.min, most: row.max } : {}
    return [id, { ...row, about, byDefault, why, ...bounds }]
  }),
  // The cast restores the IDs, which Object.fromEntries loses.
) as unknown as { readonly [Id in BehaviourOptionId]: FormerDecision<BehaviourTable[Id]> }

/** Parser and description of one emulator option. */
export interface OptionReader {
  /** Flag with its value as the help text shows it, for example `--port <number>`. */
  readonly flag: string
  readonly about: string
  /** If true, the flag can be repeated, and `read` accepts a list of strings. */
  readonly isRepeatable?: true
  /**
   * Parses a string from the command line, or a JSON value.
   * @returns the option, or a sentence that lists the valid values
   */
  read(value: unknown): EmulatorOptions | string
}

/** Parsers of all options, by option name in a config file. */
export const OPTION_READERS: Readonly<Record<string, OptionReader>> = Object.fromEntries(
  Object.entries<OptionRow>(OPTION_TABLE).map(([name, row]) => {
    const { flag, placeholder, description: about, repeatable } = row
    const reader: OptionReader = {
      flag: placeholder === undefined ? flag : `${flag} <${placeholder}>`,
      about,
      ...(repeatable === undefined ? {} : { isRepeatable: repeatable }),
      read: (value) => readOrDescribeError(() => readOrThrow([[name, value]]), describeExpected),
    }
    return [name, reader]
  }),
)

/**
 * Parses options by name. Each value is a string from the command line, or a JSON value.
 * @returns the options, or a sentence that describes the first invalid value
 */
export function readOptions(values: Iterable<readonly [name: string, value: unknown]>): EmulatorOptions | string {
  return readOrDescribeError(
    () => readOrThrow(values),
    ({ message }) => message,
  )
}

function readOrDescribeError(
  read: () => EmulatorOptions,
  describe: (error: InvalidOptionError) => string,
): EmulatorOptions | string {
  try {
    return read()
  } catch (error) {
    if (error instanceof InvalidOptionError) return describe(error)
    throw error
  }
}

function describeExpected({ params, message }: InvalidOptionError): string {
  if (params.reason === 'invalid-value') return params.expected
  return params.reason === 'unusable-file' ? params.problem : message
}
