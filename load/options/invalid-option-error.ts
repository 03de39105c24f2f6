import { type NameOption, OptionError } from '../../common/options/invalid-option-error.ts'
import { OPTION_TABLE } from '../../scenarios/lib/option-table.ts'
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

/** A load run cannot start with these options. It sent no request of the load, and the command exits with code 2. */
export class InvalidOptionError extends OptionError<InvalidOptionParams, OptionName> {
  constructor(params: InvalidOptionParams) {
    super(params, describe)
  }
}

function describe(params: InvalidOptionParams, name: NameOption<OptionName>): string {
  const option = name(params.option)
  switch (params.reason) {
    case 'unknown-value':
      return `Unknown ${params.option} "${params.value}". ${suggestName(params)}Use one of ${params.known.join(', ')}.`
    case 'invalid-value':
      return `Invalid ${option}. ${params.problem}`
    case 'unreadable-file':
      return `${option} ${params.path} cannot be read (${params.problem}). Check the path.`
    case 'invalid-file':
      return `${option} ${params.path}: ${params.problem}`
    case 'conflicting-options':
      return `${option} cannot be combined with ${name(params.other)}. ${params.problem}`
    case 'missing-option': {
      const user = isOptionName(params.neededBy) ? name(params.neededBy) : params.neededBy
      return `${option} is missing. ${user} needs it. ${params.problem}`
    }
  }
}

function isOptionName(text: string): text is OptionName {
  return Object.hasOwn(OPTION_TABLE, text)
}

/** Returns a question that names a similar value, such as `chat-stream` for `chatstream`. Empty if there is none. */
function suggestName({ value, known }: { readonly value: string; readonly known: readonly string[] }): string {
  const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const word = lettersOf(value)
  const same = known.find((name) => lettersOf(name) === word)
  const beginning = known.filter((name) => word.startsWith(lettersOf(name)))
  const longer = known.find((name) => word !== '' && lettersOf(name).startsWith(word))
  const name = same ?? beginning.toSorted((a, b) => b.length - a.length)[0] ?? longer
  return name === undefined ? '' : `Did you mean ${name}? `
}
