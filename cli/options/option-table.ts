/**
 * One option of a program, as plain data. Each program declares its own table (`as const`) with rows of this shape; the command
 * line makes flags, help and reference pages of it, and the program derives the types of its options from it.
 */
export interface OptionRow {
  /** The long flag without a value: `--port`, `--yes`, `--no-calibration`. */
  readonly flag: string
  /** Other spellings of the flag, which help does not show. */
  readonly aliases?: readonly string[]
  /** The value in help, without brackets: `number`, `file`. Every row has one, except those of type `boolean`. */
  readonly placeholder?: string
  /**
   * How the text of a flag is read: one of `BasicTypes`, or a type of the program's own. A `boolean` flag has no value; one that
   * starts with `--no-` sets `false`.
   */
  readonly type: string
  /** Lower and upper bound of an `integer` or a `number`, both inclusive. An integer has at least 0, a number more than 0, by default. */
  readonly min?: number
  readonly max?: number
  /** Values of a `choice`, or of the parts of a `choices`. */
  readonly choices?: readonly string[]
  /** True if the flag may be given several times. Its value is then a list. */
  readonly repeatable?: true
  /** Environment variable that sets the value if the flag is absent. */
  readonly env?: string
  /** The default, formatted as on the command line. */
  readonly default?: string | number | boolean
  /** The default in words, if it is not a constant, or differs on the command line. */
  readonly defaultText?: string
  /** A noun phrase or a verb phrase without a full stop, shown by help next to the flag. */
  readonly description: string
  /** A value that helps more than its description: `requestsPerMinute=60,burst=5`. */
  readonly example?: string
}

/** Options by the name that they have in the program, in the order of the help. */
export type OptionTable = Readonly<Record<string, OptionRow>>

/** Types that the command line parses, with the type of the value. */
export interface BasicTypes {
  readonly boolean: boolean
  readonly string: string
  /** Not parsed by the command line: the program reports errors. */
  readonly file: string
  readonly url: string
  readonly integer: number
  readonly number: number
  /** An amount of money with at most four decimals, kept as text because money is not rounded. */
  readonly credits: string
  /** `500ms`, `30s`, `5m`, `1h`; in seconds. */
  readonly duration: number
}

/** Reads the text of a type of the program's own. Throws an error whose message starts with "It must be". */
export type TypeReaders = Readonly<Record<string, (text: string) => unknown>>

type Single<Row extends OptionRow, Readers> = Row extends { readonly choices: readonly (infer Choice)[] }
  ? Row['type'] extends 'choices'
    ? readonly Choice[]
    : Choice
  : Row['type'] extends keyof BasicTypes
    ? BasicTypes[Row['type']]
    : Row['type'] extends keyof Readers
      ? Readers[Row['type']] extends (text: string) => infer Value
        ? Value
        : never
      : string

/** The values that `addOptions` leaves with the command: those that were given, by the names of the table. */
export type OptionValues<Table extends OptionTable, Readers = unknown> = {
  readonly [Name in keyof Table]?: Table[Name] extends { readonly repeatable: true }
    ? readonly Single<Table[Name], Readers>[]
    : Single<Table[Name], Readers>
}

/** Describes the default of a row; undefined if the option has none. */
export function describeDefault({ default: value, defaultText }: OptionRow): string | undefined {
  return defaultText ?? (value === undefined || typeof value === 'boolean' ? undefined : String(value))
}

/** Formats the flag with its placeholder: `--port <number>`. */
export function formatFlag({ flag, placeholder }: OptionRow): string {
  return placeholder === undefined ? flag : `${flag} <${placeholder}>`
}
