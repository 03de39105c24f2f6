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

/** Top-level options of the table. */
export type TableOptions = {
  readonly [Name in keyof Values as Name extends `${string}.${string}` ? never : Name]: Values[Name]
}

/** API keys by their role (section 5). */
export type TargetKeys = {
  readonly [Name in keyof Table as Name extends `keys.${infer Role}` ? Role : never]?: string
}
