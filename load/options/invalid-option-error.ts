import type { GivenOptions } from '../../scenarios/lib/option-values.ts'

/** Name of an option in `LoadOptions`. */
export type OptionName = keyof GivenOptions | 'k6Options'

export type InvalidOptionParams =
  | {
      readonly reason: 'unknown-value'
      readonly option: OptionName
      readonly value: string
      readonly known: readonly string[]
    }
  /** `problem` is a sentence that describes the error and the valid values. */
  | { readonly reason: 'invalid-value'; readonly option: OptionName; readonly value: string; readonly problem: string }
  /** `problem` is the system's error code, such as `ENOENT`. */
  | { readonly reason: 'unreadable-file'; readonly option: OptionName; readonly path: string; readonly problem: string }
  /** `problem` is a sentence about the contents of the file. */
  | { readonly reason: 'invalid-file'; readonly option: OptionName; readonly path: string; readonly problem: string }
  | {
      readonly reason: 'conflicting-options'
      readonly option: OptionName
      readonly other: OptionName
      readonly problem: string
    }
  /** A scenario or another option requires this option, which is not set. */
  | {
      readonly reason: 'missing-option'
      readonly option: OptionName
      readonly neededBy: string
      readonly problem: string
    }

/**
 * A load run cannot start with these options. It sent no request of the load, and the command exits with code 2. The
 * message uses the names of `LoadOptions`; a command line translates `params` into its flags.
 */
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
    case 'unknown-value':
      return `Unknown ${params.option} "${params.value}". Use one of ${params.known.join(', ')}.`
    case 'invalid-value':
      return `Invalid option '${params.option}'. ${params.problem}`
    case 'unreadable-file':
      return `Cannot read the file ${params.path} of option '${params.option}': ${params.problem}.`
    case 'invalid-file':
      return `Invalid file ${params.path} of option '${params.option}'. ${params.problem}`
    case 'conflicting-options':
      return `The options '${params.option}' and '${params.other}' cannot be combined. ${params.problem}`
    case 'missing-option':
      return `The option '${params.option}' is missing. ${params.neededBy} needs it. ${params.problem}`
  }
}
