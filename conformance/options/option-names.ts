import type { OPTION_TABLE } from './option-table.ts'

/** Formats the name of an option for messages, e.g. `keys.funded` in the library and `--key` on the command line. */
export type OptionNameFormatter = (option: keyof typeof OPTION_TABLE) => string

export const formatLibraryOption: OptionNameFormatter = (option) => option
