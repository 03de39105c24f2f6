import type { OptionValues } from '../../common/options/option-table.ts'
import type { OPTION_TABLE } from './option-table.ts'

type Table = typeof OPTION_TABLE

/** A check whose result the tester accepts, with the reason. */
export interface CheckWithReason {
  readonly id: string
  readonly reason: string
}

interface OptionTypes {
  /** CA certificates in PEM format. */
  readonly certificates: string
}

type Values = OptionValues<Table, OptionTypes>

export type TableOptions = {
  readonly [Name in keyof Values as Name extends `${string}.${string}` ? never : Name]: Values[Name]
}

/** API keys by their role (section 5). */
export type TargetKeys = {
  readonly [Name in keyof Table as Name extends `keys.${infer Role}` ? Role : never]?: string
}

/** API keys of a run: the name of the key in options, and the name of its account in texts and JSON. */
export const KEY_NAMES = [
  { name: 'funded', account: 'funded' },
  { name: 'noCredits', account: 'no-credits' },
  { name: 'limited', account: 'limited' },
  { name: 'small', account: 'small' },
  { name: 'revoked', account: 'revoked' },
] as const satisfies readonly { readonly name: keyof TargetKeys; readonly account: string }[]

/** Formats the name of an option for messages, e.g. `keys.funded` in the library and `--key` on the command line. */
export type OptionNameFormatter = (option: keyof typeof OPTION_TABLE) => string

export const formatLibraryOption: OptionNameFormatter = (option) => option
