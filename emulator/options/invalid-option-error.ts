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
export class InvalidOptionError extends Error {
  override readonly name = 'InvalidOptionError'
  readonly code = 'TST_ERR_INVALID_OPTION'
  readonly params: InvalidOptionParams

  constructor(params: InvalidOptionParams) {
    super(describe(params))
    this.params = params
  }
}

function describe(params: InvalidOptionParams): string {
  switch (params.reason) {
    case 'unknown-option':
      return `There is no option '${params.option}'. The options are ${params.known.join(', ')}.`
    case 'invalid-value': {
      const value = params.value === undefined ? '' : `: ${params.value}`
      return `Invalid option '${params.option}'${value}. ${params.expected}`
    }
    case 'unusable-file':
      return `Invalid option '${params.option}'. ${params.problem}`
    case 'conflicting-options':
      return `The option '${params.option}' cannot be combined with ${params.others.map((name) => `'${name}'`).join(' or ')}.`
    case 'not-an-object':
      return 'The options of an emulator must be an object such as {"seed": 7}.'
  }
}
