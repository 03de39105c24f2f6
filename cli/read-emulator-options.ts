import { isJsonObject } from '../common/json-object.ts'
import { readFileSync } from 'node:fs'
import {
  describeSyntaxError,
  type EmulatorOptions,
  InvalidOptionError,
  OPTION_TABLE,
  parseJsonText,
  readOptions,
} from '../emulator/start-emulator.ts'
import type { NameOption } from '../common/options/invalid-option-error.ts'
import type { OptionTable } from '../common/options/option-table.ts'
import { CommandLineError } from './command-line-error.ts'

const TABLE: OptionTable = OPTION_TABLE

/** Default port of the command. `startEmulator()` uses a free port by default. */
const DEFAULT_PORT = 8080

interface EmulatorConfiguration {
  readonly options: EmulatorOptions
  /** Returns where the user set an option: `--port`, `TOUCHSTONE_EMULATOR_PORT`, or `"port" in emulator.json`. */
  readonly placeOf: NameOption
}

interface Source {
  readonly values: Readonly<Record<string, unknown>>
  readonly placeOf: NameOption
}

/**
 * Reads the options of an emulator from flags, environment variables and a config file, in this order of precedence.
 * @throws CommandLineError
 */
export function readEmulatorOptions(
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): EmulatorConfiguration {
  const { config, ...flagValues } = flags
  const file = config ?? environment['TOUCHSTONE_EMULATOR_CONFIG']
  const sources: Source[] = [
    ...(file === undefined ? [] : [configFile(String(file))]),
    { values: environmentValues(environment), placeOf: (name) => TABLE[name]?.env ?? name },
    { values: flagValues, placeOf: flagOf },
  ]
  for (const { values, placeOf } of sources) validate(values, placeOf)
  const options = readOptions(sources.flatMap(({ values }) => Object.entries(values)))
  return {
    options: { port: DEFAULT_PORT, ...options },
    placeOf: (name) => {
      const isSet = sources.some(({ values }) => name in values)
      const setName = name === 'faults' && !isSet ? 'fault' : name // `fault` and `faults` add rules to the same list.
      return (sources.findLast(({ values }) => setName in values)?.placeOf ?? flagOf)(setName)
    },
  }
}

function validate(values: Readonly<Record<string, unknown>>, placeOf: NameOption): void {
  try {
    readOptions(Object.entries(values))
  } catch (error) {
    throw error instanceof InvalidOptionError ? new CommandLineError(error.describe(placeOf)) : error
  }
}

function flagOf(name: string): string {
  return TABLE[name]?.flag ?? `--${name}`
}

function environmentValues(environment: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const given = Object.entries(TABLE).map(([name, { env = '' }]) => [name, environment[env]] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

function configFile(file: string): Source {
  return { values: readConfigFile(file), placeOf: (name) => `"${name}" in the config file ${file}` }
}

function readConfigFile(file: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = parseJsonText(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new CommandLineError(`The config file ${file} is not valid JSON: ${describeSyntaxError(error)}.`)
    }
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new CommandLineError(`The config file ${file} cannot be read (${code}). Check the path.`)
  }
  if (isJsonObject(value)) return value
  throw new CommandLineError(`The config file ${file} must contain a JSON object such as {"port": 8099}.`)
}
