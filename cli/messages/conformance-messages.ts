import { InvalidOptionError, OPTION_TABLE } from '../../conformance/run-conformance.ts'
import type { OptionTable } from '../../common/options/option-table.ts'
import { CommandLineError } from '../command-line-error.ts'

const TABLE: OptionTable = OPTION_TABLE

/** Flags of options that have no row in the library's option table. */
const OTHER_FLAGS: Readonly<Record<string, string>> = { models: '--model' }

/** What `--list` shows, by the reason of an error. */
const LISTS: Readonly<Record<string, string>> = {
  'unknown-check': 'all checks',
  'unknown-observation': 'all observations; their level is "unspecified"',
  'unknown-mutant': 'all mutants',
}

/**
 * Describes a usage error of a command that runs checks.
 * @returns undefined for any other error
 */
export function describeUsageError(error: unknown): string | undefined {
  if (error instanceof CommandLineError) return error.message
  if (!(error instanceof InvalidOptionError)) return undefined
  const list = LISTS[error.params.reason]
  const sentence = error.describe((option) => TABLE[option]?.flag ?? OTHER_FLAGS[option] ?? option)
  return list === undefined ? sentence : `${sentence} --list shows ${list}.`
}
