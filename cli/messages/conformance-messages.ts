import { InvalidOptionError, OPTION_TABLE } from '../../conformance/run-conformance.ts'
import type { OptionTable } from '../options/option-table.ts'
import { CommandLineError } from '../command-line-error.ts'

const TABLE: OptionTable = OPTION_TABLE

/**
 * Describes a usage error of a command that runs checks.
 * @returns undefined for an error of another kind
 */
export function describeUsageError(error: unknown): string | undefined {
  if (error instanceof CommandLineError) return error.message
  return error instanceof InvalidOptionError ? describeInvalidOption(error) : undefined
}

/** Describes an invalid option of the suite by its flag or its field in the target file. */
function describeInvalidOption({ params, message }: InvalidOptionError): string {
  const { file } = params
  const inFile = file === undefined ? '' : `${file}: `
  /** In a target file, each option is a field with the option's name. */
  const nameOf = (option: string) => (file === undefined ? (TABLE[option]?.flag ?? option) : option)
  switch (params.reason) {
    case 'missing-target':
      return 'No target was given: name one with --target URL or TOUCHSTONE_TARGET.'
    case 'invalid-value': {
      const value = params.value === undefined ? '' : ` ${params.value}`
      return `${inFile}${nameOf(params.option)}${value} ${params.problem}.`
    }
    case 'credentials-in-url':
      return `${inFile}${nameOf(params.option)} must not carry a user name or password: send them with --header 'Name: value'.`
    case 'reserved-header':
      return `${inFile}${nameOf(params.option)} cannot set ${params.header}, which the checks set themselves: give keys with --key.`
    case 'same-key':
      return `${nameOf(params.option)} and ${nameOf(params.other)} are the same key: each needs an account of its own.`
    case 'unknown-check':
      return `${inFile}No check has the id or section "${params.value}": --list shows all ids, e.g. --only ${params.example}.`
    case 'unknown-observation':
      return `${inFile}declares names ${params.value}, which is no observation: --list shows them, at the level silent.`
    case 'unknown-mutant':
      return `No mutant has the id "${params.value}": --list shows all ids, e.g. --only ${params.example}.`
    case 'duplicate-known-failure':
      return `${inFile}${params.id} is listed twice as a known failure: remove one entry.`
    case 'unset-variable': {
      const variable = params.variable === undefined ? '' : ` ${params.variable}`
      return `${inFile}${params.field} names the environment variable${variable}, which is not set: set it, or give the key by its flag.`
    }
    case 'missing-package': {
      const user = { sdk: '--sdk', runner: '--runner vitest', none: 'prove' }[params.option ?? 'none']
      const otherwise = params.option === undefined ? '' : `, or leave ${nameOf(params.option)} out`
      return `${user} needs the npm package ${params.package}, which is not installed here: run npm install ${params.package}${otherwise}.`
    }
    case 'invalid-file':
      return message
  }
}
