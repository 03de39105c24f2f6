/**
 * One option of a program, as plain data. Each program declares a table (`as const`) of these rows. The command line
 * generates flags, help and reference pages from the table; the program derives the types of its options from it.
 */
export interface OptionRow {
  /** The long flag without its value: `--port`, `--yes`, `--no-calibration`. */
  readonly flag: string
  /**
   * Placeholder for the value in the help, without brackets: `number`, `file`. Required for every type except
   * `boolean`.
   */
  readonly placeholder?: string
  /**
   * Type of the value: one of {@link BasicOptionTypes}, `choice`, `choices`, or a type for which the program has a
   * reader. A `boolean` flag has no value; one that starts with `--no-` sets `false`.
   */
  readonly type: string
  /**
   * Bounds of an `integer` or a `number`, both inclusive. Without bounds, an integer must be at least 0, and a number
   * must be greater than 0.
   */
  readonly min?: number
  readonly max?: number
  /** Permitted values of a `choice`, or of each element of a `choices`. */
  readonly choices?: readonly string[]
  /** Whether the user may repeat the flag. The value of the option is then a list. */
  readonly repeatable?: true
  /** Environment variable that sets the value if the flag is absent. */
  readonly env?: string
  /** The default, formatted as on the command line. */
  readonly default?: string | number | boolean
  /** The default in words, if it is not a constant or if the command line has its own default. */
  readonly defaultText?: string
  /** A noun phrase or verb phrase without a full stop, which the help shows next to the flag. */
  readonly description: string
  /** An example value, for a format that is hard to describe: `requestsPerMinute=60,burst=5`. */
  readonly example?: string
  /** Whether error messages omit the value. */
  readonly isSecret?: true
  /** Whether a k6 script receives the value as a setting of the same name. */
  readonly isSetting?: true
}

/** Options keyed by their name in the program, in the order of the help. */
export type OptionTable = Readonly<Record<string, OptionRow>>

/** Types of values that all programs know, with their TypeScript types. A program may declare further types. */
interface BasicOptionTypes {
  readonly boolean: boolean
  readonly string: string
  readonly file: string
  readonly url: string
  readonly integer: number
  readonly number: number
  /** An amount with at most four decimal places, kept as text to avoid rounding. */
  readonly credits: string
  /** A duration in seconds, parsed from `500ms`, `30s`, `5m` or `1h`. */
  readonly duration: number
}

/** Type of one value of an option. `Types` contains the TypeScript types of the program's own types. */
export type OptionValue<Row, Types = object> = Row extends { readonly choices: readonly (infer Choice)[] }
  ? Row extends { readonly type: 'choices' }
    ? readonly Choice[]
    : Choice
  : Row extends { readonly type: infer Type }
    ? Type extends keyof Types
      ? Types[Type]
      : Type extends keyof BasicOptionTypes
        ? BasicOptionTypes[Type]
        : string
    : never

/** The values of options by their name in the table. All are optional. A repeatable option has a list of values. */
export type OptionValues<Table, Types = object> = {
  readonly [Name in keyof Table]?: Table[Name] extends { readonly repeatable: true }
    ? readonly OptionValue<Table[Name], Types>[]
    : OptionValue<Table[Name], Types>
}

/**
 * Returns the default as the help shows it. Returns undefined for a flag without a value, and for an option without a
 * default.
 */
export function describeDefault({ default: value, defaultText }: OptionRow): string | undefined {
  return defaultText ?? (value === undefined || typeof value === 'boolean' ? undefined : String(value))
}

/** Formats an option as its flag, followed by its environment variable, if it has one. */
export function formatFlagAndVariable({ flag, env }: OptionRow): string {
  return env === undefined ? flag : `${flag} or ${env}`
}

/** Formats the flag with its placeholder: `--port <number>`. */
export function formatFlag({ flag, placeholder }: OptionRow): string {
  return placeholder === undefined ? flag : `${flag} <${placeholder}>`
}
