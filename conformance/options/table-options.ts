import type { OPTION_TABLE } from './option-table.ts'

type Table = typeof OPTION_TABLE

/** A check whose result the tester accepts, with the reason. */
export interface CheckWithReason {
  readonly id: string
  readonly reason: string
}

/** TypeScript types of the option table's values for `type`. */
interface OptionTypes {
  readonly string: string
  readonly url: string
  readonly boolean: boolean
  readonly integer: number
  readonly number: number
  /** CA certificates in PEM format. */
  readonly certificates: string
  /** Checks that may fail, by ID. The run fails if one of them passes or does not exist. */
  readonly 'known-failures': readonly CheckWithReason[]
}

type ValueOf<Row> = Row extends { readonly choices: readonly (infer Choice)[] }
  ? Row extends { readonly type: 'choices' }
    ? readonly Choice[]
    : Choice
  : Row extends { readonly type: infer Type extends keyof OptionTypes }
    ? Row extends { readonly repeatable: true }
      ? readonly OptionTypes[Type][]
      : OptionTypes[Type]
    : never

/** Top-level options of the table. */
export type TableOptions = {
  readonly [Name in keyof Table as Name extends `${string}.${string}` ? never : Name]?: ValueOf<Table[Name]>
}

/** API keys by their role (section 5). */
export type TargetKeys = {
  readonly [Name in keyof Table as Name extends `keys.${infer Role}` ? Role : never]?: string
}
