import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { OPTION_READERS, readOptions, type EmulatorOptions } from '../emulator/start-emulator.ts'

/** Where the emulator listens when nothing else is said. */
const DEFAULTS: EmulatorOptions = { port: 8080 }

/** Adds a flag for each setting of the emulator. Values stay as they came: they are read all together. */
export function addEmulatorFlags(command: Command): Command {
  command.option('--config <file>', 'settings as JSON, by the names of the flags, e.g. {"answerTokens": "fill"}')
  const collect = (value: string, before: readonly string[] = []) => [...before, value]
  for (const { flag, about, isRepeatable } of Object.values(OPTION_READERS)) {
    if (isRepeatable) command.option(flag, `${about} (repeatable)`, collect)
    else command.option(flag, about)
  }
  return command
}

/**
 * The options of an emulator: flags before the environment before the config file.
 * @returns one sentence when something in them cannot be
 */
export function emulatorOptions(
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): EmulatorOptions | string {
  const file = flags['config'] ?? environment['TOUCHSTONE_EMULATOR_CONFIG']
  const fromFile = file === undefined ? {} : readConfigFile(String(file))
  if (typeof fromFile === 'string') return fromFile
  const inFile = readOptions(Object.entries(fromFile))
  if (typeof inFile === 'string') return `The config file ${String(file)}: ${inFile}`
  const names = Object.keys(OPTION_READERS)
  const set = (values: (name: string) => unknown) =>
    names.map((name) => [name, values(name)] as const).filter(([, value]) => value !== undefined)
  const read = readOptions([
    ...Object.entries(fromFile),
    ...set((name) => environment[environmentName(name)]),
    ...set((name) => flags[flagName(name)]),
  ])
  return typeof read === 'string' ? read : { ...DEFAULTS, ...read }
}

function readConfigFile(file: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
    return `The config file ${file} must hold a JSON object such as {"port": 8099}.`
  } catch (error) {
    if (error instanceof SyntaxError) return `The config file ${file} is not valid JSON: ${error.message}.`
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return `The config file ${file} cannot be read (${code}).`
  }
}

/** `answerTokens` → `TOUCHSTONE_EMULATOR_ANSWER_TOKENS` */
function environmentName(name: string): string {
  return `TOUCHSTONE_EMULATOR_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`
}

/** The name under which commander keeps the value of a setting's flag: `--decide <id=choice>` → `decide`. */
function flagName(name: string): string {
  const long = /^--([a-z-]+)/.exec(OPTION_READERS[name]?.flag ?? '')?.[1] ?? name
  return long.replaceAll(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
