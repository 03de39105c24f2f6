import type { Command } from 'commander'
import {
  type ConformanceOptions,
  type EmbeddedTarget,
  validateInFile,
  OPTION_TABLE,
  EMBEDDED_EMULATOR,
  REVOKED_KEY,
  planConformance,
  parseTargetFile,
} from '../conformance/run-conformance.ts'
import { formatFlagAndVariable, type OptionTable, type OptionValues } from '../common/options/option-table.ts'
import { CommandLineError } from './command-line-error.ts'
import { addressOf, findTargetFile, readTextFile } from './target-file.ts'
import { isBuiltInEmulator, requireTargetForKeys } from './target-for-keys.ts'
import { TOOL_VERSION } from './version.ts'

const { url: URL_ROW, ...OTHER_ROWS } = OPTION_TABLE

export const CONFORMANCE_TABLE = {
  url: URL_ROW,
  model: {
    flag: '--model',
    placeholder: 'id',
    type: 'string',
    repeatable: true,
    description: 'model of the target; replaces the models of §2.1',
  },
  ...OTHER_ROWS,
} as const satisfies OptionTable

// The default text says that the command starts an emulator. `doctor` and `init` do not.
const { defaultText: _, ...URL_WITHOUT_DEFAULT } = URL_ROW

/** Options that `doctor` and `init` share with `conformance`. */
export const TARGET_TABLE = {
  url: { ...URL_WITHOUT_DEFAULT, description: 'base URL, with or without /v1' },
  'keys.funded': OPTION_TABLE['keys.funded'],
  'keys.noCredits': OPTION_TABLE['keys.noCredits'],
  'keys.limited': OPTION_TABLE['keys.limited'],
} as const

export type ConformanceValues = OptionValues<typeof CONFORMANCE_TABLE>

/**
 * Builds the options of a run from the command line and the files that it names. Options of the command line override
 * those of a target file, except that keys, headers, declarations and `without` are merged.
 * @param generalKeys names of the key options whose values come from the environment, see `listGeneralKeys`
 * @throws CommandLineError, InvalidOptionError
 */
export async function readConformanceOptions(
  values: ConformanceValues,
  generalKeys: readonly string[] = [],
): Promise<ConformanceOptions> {
  const { url: address, ca, model, only, skip, ...others } = values
  const url = isBuiltInEmulator(address) ? undefined : address
  const file = findTargetFile(address)
  const given: ConformanceOptions = {
    ...nestOptions(others),
    ...(model === undefined ? {} : { models: model }),
    ...(only === undefined ? {} : { only: splitAtCommas(only) }),
    ...(skip === undefined ? {} : { skip: splitAtCommas(skip) }),
    ...(url === undefined || file !== undefined ? {} : { url }),
    ...(ca === undefined ? {} : { ca: await readCertificates(ca) }),
    nameOption: (option) => formatFlagAndVariable(OPTION_TABLE[option]),
    toolVersion: TOOL_VERSION,
  }
  if (file !== undefined) return mergeTargetFile(file, given, generalKeys)
  return url === undefined ? { ...given, ...EMBEDDED } : given
}

/** Splits each value of a repeatable option into its parts: `4,5` becomes `4` and `5`. */
function splitAtCommas(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',').map((part) => part.trim()))
}

/** Nests options whose names contain a dot: `keys.funded` becomes `keys: { funded }`. */
function nestOptions(values: Omit<ConformanceValues, 'ca' | 'model' | 'only' | 'skip'>): ConformanceOptions {
  const options: Record<string, unknown> = {}
  const nested: Record<string, Record<string, unknown>> = {}
  for (const [name, value] of Object.entries(values)) {
    const [group = '', member] = name.split('.')
    if (member === undefined) options[name] = value
    else (nested[group] ??= {})[member] = value
  }
  return { ...options, ...nested } // The cast is safe: names and types come from the same table.
}

/**
 * Rejects a run without a target if the user gave a key. The run would test the built-in emulator instead of the
 * deployment to which the key belongs.
 * @throws CommandLineError
 */
export function requireTargetForGivenKeys(values: ConformanceValues): void {
  const keys = KEY_NAMES.filter((name) => values[name] !== undefined).map((name) => OPTION_TABLE[name])
  requireTargetForKeys(values.url, keys)
}

const KEY_NAMES = ['keys.funded', 'keys.noCredits', 'keys.limited', 'keys.small', 'keys.revoked'] as const

/** Lists the key options whose values come from environment variables such as `TOUCHSTONE_KEY`, not from flags. */
export function listGeneralKeys(command: Command): string[] {
  return KEY_NAMES.filter((name) => command.getOptionValueSource(name) === 'env')
}

async function mergeTargetFile(
  path: string,
  given: ConformanceOptions,
  generalNames: readonly string[],
): Promise<ConformanceOptions> {
  const text = await readTextFile('--target', path, 'check the path')
  const entries = Object.entries(given.keys ?? {})
  const isGeneral = (role: string): boolean => generalNames.includes(`keys.${role}`)
  const general = Object.fromEntries(entries.filter(([role]) => isGeneral(role)))
  const keys = Object.fromEntries(entries.filter(([role]) => !isGeneral(role)))
  const fromFile = parseTargetFile(text, { name: path, environment: process.env, keys, generalKeys: general })
  validateInFile(path, () => planConformance(fromFile))
  const without = [...(fromFile.without ?? []), ...(given.without ?? [])]
  // If the file declares a target without keys, keys in the environment belong to another service.
  const generalKeys = fromFile.differences?.authentication === undefined ? general : {}
  return {
    ...fromFile,
    ...given,
    url: addressOf(path, fromFile),
    keys: { ...generalKeys, ...fromFile.keys, ...keys },
    headers: [...fromFile.headers, ...(given.headers ?? [])],
    declarations: { ...fromFile.declarations, ...given.declarations },
    without,
  }
}

async function readCertificates(file: string): Promise<string> {
  const text = await readTextFile(OPTION_TABLE.ca.flag, file, 'check the path of the PEM file')
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new CommandLineError(`--ca ${file} contains no certificate. Specify a PEM file.`)
}

async function startEmbedded(): Promise<EmbeddedTarget> {
  // Imported dynamically, because a run against a deployment does not need the emulator.
  const { startEmulator } = await import('../emulator/start-emulator.ts')
  const { options, faults } = EMBEDDED_EMULATOR
  const { url, keys, close } = await startEmulator({ options, faults })
  return {
    url,
    keys: {
      funded: keys.funded,
      noCredits: keys.noCredits,
      limited: keys.limited,
      small: keys.small,
      revoked: REVOKED_KEY,
    },
    close,
  }
}

const EMBEDDED: Pick<ConformanceOptions, 'startEmbedded' | 'declarations'> = {
  startEmbedded,
  declarations: EMBEDDED_EMULATOR.declarations,
}
