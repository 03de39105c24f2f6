import type { OPTION_TABLE } from './option-table.ts'

/** Returns the name by which a reader sets an option: `keys.funded` in the library, `--key` on the command line. */
export type NameOption = (option: keyof typeof OPTION_TABLE) => string

/** Names options as in `ConformanceOptions`. */
export const nameInLibrary: NameOption = (option) => option
