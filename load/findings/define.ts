import type { NameOption } from '../../common/options/invalid-option-error.ts'
import type { OptionName } from '../options/invalid-option-error.ts'

/** Formats the name of an option for the user: `maxTokens` in the library, `--max-tokens` on the command line. */
export type OptionNameFormatter = NameOption<OptionName>

/** Describes a finding: the problem and, if there is one, the remedy. The type of `params` belongs to the code. */
export type FindingSentence = (params: never, name: OptionNameFormatter) => string
