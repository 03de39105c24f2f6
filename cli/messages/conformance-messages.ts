import { InvalidOptionError, OPTION_TABLE } from '../../conformance/run-conformance.ts'
import type { OptionTable } from '../options/option-table.ts'
import { CommandLineError } from '../command-line-error.ts'

const TABLE: OptionTable = OPTION_TABLE

/** Flags of options that have no row in the library's option table. */
const OTHER_FLAGS: Readonly<Record<string, string>> = { models: '--model' }

/**
 * Describes a usage error of a command that runs checks.
 * @returns undefined for any other error
 */
export function describeUsageError(error: unknown): string | undefined {
  if (error instanceof CommandLineError) return error.message
  return error instanceof InvalidOptionError ? describeInvalidOption(error) : undefined
}

/** Describes an invalid option of the suite, named by its flag or by its field in the target file. */
function describeInvalidOption({ params, message }: InvalidOptionError): string {
  const { file } = params
  const inFile = file === undefined ? '' : `${file}: `
  // In a target file, each option is a field with the option's name.
  const nameOf = (option: string) =>
    file === undefined ? (TABLE[option]?.flag ?? OTHER_FLAGS[option] ?? option) : option
  switch (params.reason) {
    case 'missing-target':
      return 'No target was given. Set --target URL or TOUCHSTONE_TARGET.'
    case 'invalid-value': {
      const value = params.value === undefined ? '' : ` ${params.value}`
      return `${inFile}${nameOf(params.option)}${value} ${params.problem}.`
    }
    case 'credentials-in-url':
      return `${inFile}${nameOf(params.option)} must not contain a user name or password. Send them with --header 'Name: value'.`
    case 'reserved-header':
      return `${inFile}${nameOf(params.option)} cannot set ${params.header}, because the checks set it. Set the API key with --key.`
    case 'same-key':
      return `${nameOf(params.option)} and ${nameOf(params.other)} are the same key. Use a separate account for each.`
    case 'unknown-check':
      return params.suggestion === undefined
        ? `${inFile}No check has the ID or section "${params.value}". Use a section (4.2), its name (chat), or an ID (${params.example}); --list shows all checks.`
        : `${inFile}No check has the ID or section "${params.value}". Did you mean ${params.suggestion}? --list shows all checks.`
    case 'unknown-observation':
      return `${inFile}"declares" contains ${params.value}, which is not an observation. --list shows all observations; their level is "unspecified".`
    case 'unknown-mutant':
      return `No mutant has the ID "${params.value}". Use an ID such as ${params.example}; --list shows all mutants.`
    case 'duplicate-known-failure':
      return `${inFile}${params.id} is listed twice as a known failure. Remove one entry.`
    case 'unset-variable': {
      const variable = params.variable === undefined ? '' : ` ${params.variable}`
      return `${inFile}${params.field} refers to the environment variable${variable}, which is not set. Set it, or use the flag of the key.`
    }
    case 'missing-package': {
      const user = { sdk: '--sdk', runner: '--runner vitest', none: 'prove' }[params.option ?? 'none']
      const otherwise = params.option === undefined ? '' : `, or omit ${nameOf(params.option)}`
      return `${user} needs the npm package ${params.package}, which is not installed. Run npm install ${params.package}${otherwise}.`
    }
    case 'invalid-file':
      return message
  }
}
