import { type NameOption, OptionError } from '../../common/options/invalid-option-error.ts'

/** Machine-readable reason why options are invalid. Option names are those of `EmulatorOptions`. */
export type InvalidOptionParams =
  | { readonly reason: 'unknown-option'; readonly option: string; readonly known: readonly string[] }
  /**
   * The option has an invalid value. `expected` is a sentence with the valid values. `value` is JSON; it is absent for
   * secrets.
   */
  | { readonly reason: 'invalid-value'; readonly option: string; readonly value?: string; readonly expected: string }
  /** A file of the option cannot be used. `problem` is a sentence that names the file. */
  | { readonly reason: 'unusable-file'; readonly option: string; readonly problem: string }
  /** The option cannot be combined with the options in `others`. */
  | { readonly reason: 'conflicting-options'; readonly option: string; readonly others: readonly string[] }
  | { readonly reason: 'not-an-object' }

/** Thrown for invalid options, and for an invalid fault rule that a program adds. */
export class InvalidOptionError extends OptionError<InvalidOptionParams> {
  constructor(params: InvalidOptionParams) {
    super(params, describe)
  }
}

function describe(params: InvalidOptionParams, name: NameOption): string {
  switch (params.reason) {
    case 'unknown-option':
      return `${name(params.option)} is unknown. The options are ${params.known.join(', ')}.`
    case 'invalid-value': {
      // A repeatable flag has a list of values, which the user wrote without brackets.
      const value = params.value === undefined ? '' : `: ${params.value.replace(/^\[(.*)\]$/s, '$1')}`
      return `Invalid ${name(params.option)}${value}. ${params.expected}`
    }
    case 'unusable-file':
      return `Invalid ${name(params.option)}. ${params.problem}`
    case 'conflicting-options':
      return `${name(params.option)} cannot be combined with ${params.others.map(name).join(' or ')}. Omit one of them.`
    case 'not-an-object':
      return 'The options of an emulator must be an object such as {"seed": 7}.'
  }
}
