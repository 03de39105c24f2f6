import type { OPTION_TABLE } from './option-table.ts'

type Table = typeof OPTION_TABLE

/** A check that the tester lists, with the reason. */
export interface ListedCheck {
  readonly id: string
  readonly reason: string
}

/** TypeScript type of the value for each type of the option table. */
interface OptionTypes {
  readonly string: string
  readonly url: string
  readonly boolean: boolean
  readonly integer: number
  readonly number: number
  /** Certificates in PEM. */
  readonly certificates: string
  /** Checks that are known to fail, by id. One that passes, or that does not exist, fails the run. */
  readonly 'known-failures': readonly ListedCheck[]
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

/** The options of the table, without the nested ones. */
export type TableOptions = {
  readonly [Name in keyof Table as Name extends `${string}.${string}` ? never : Name]?: ValueOf<Table[Name]>
}

/** Keys by the state of their accounts (section 5). */
export type TargetKeys = {
  readonly [Name in keyof Table as Name extends `keys.${infer Role}` ? Role : never]?: string
}
