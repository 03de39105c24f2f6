import type { LoadOperation } from './load-operation.ts'
import { OPTION_TABLE } from './option-table.ts'

type Table = typeof OPTION_TABLE

/** The value of each type of the option table. */
export interface OptionTypes {
  readonly string: string
  readonly url: string
  readonly file: string
  readonly boolean: boolean
  readonly integer: number
  readonly number: number
  /** Seconds. */
  readonly duration: number
  /** Unix time in milliseconds. */
  readonly instant: number
  /** Decimal number with at most four digits after the point. */
  readonly credits: string
  readonly limit: DeclaredLimit
  readonly weights: Weights
  readonly model: ModelChoice
  /** The text of the option: `ttft.p99<=800ms`. */
  readonly budget: string
  readonly segment: Segment
}

/** A limit of requests: with `burst` a token bucket of that size that is refilled evenly, else a window of any kind. */
export interface DeclaredLimit {
  readonly requests: number
  readonly windowS: number
  readonly burst?: number
  /** True: the client waits as `Retry-After` says, one request at a time. False: it ignores 429 and keeps sending. */
  readonly obey: boolean
}

/** Share of each operation in mixed traffic. */
export type Weights = Readonly<Partial<Record<LoadOperation, number>>>

/** Operations that have a model; `chat` with and without streaming. */
export const MODEL_OPERATIONS = ['chat', 'images', 'transcriptions', 'speech'] as const

export type ModelOperation = (typeof MODEL_OPERATIONS)[number]

/** A model for one operation; null: for all of them. */
export interface ModelChoice {
  readonly operation: ModelOperation | null
  readonly model: string
}

/** This process generates segment `index` (from 0) of `count`. */
export interface Segment {
  readonly index: number
  readonly count: number
}

type Single<Row> = Row extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { readonly type: infer Type extends keyof OptionTypes }
    ? OptionTypes[Type]
    : never

type ValueOf<Row> = Row extends { readonly repeatable: true } ? readonly Single<Row>[] : Single<Row>

type NamesWith<Attribute> = {
  [Name in keyof Table]: Table[Name] extends Attribute ? Name : never
}[keyof Table]

/** Names of options that always have a value: a repeatable option that was not given is an empty list. */
type AlwaysSet = NamesWith<{ readonly default: unknown }> | NamesWith<{ readonly repeatable: true }>

/** Options as given by a caller; all are optional. */
export type GivenOptions = { readonly [Name in keyof Table]?: ValueOf<Table[Name]> }

/** Options with their defaults. */
export type OptionValues = { readonly [Name in AlwaysSet]: ValueOf<Table[Name]> } & Omit<GivenOptions, AlwaysSet>

/** The options that a k6 script gets under the same name. */
export type OptionSettings = Pick<OptionValues, NamesWith<{ readonly isSetting: true }>>

type Defaults = Pick<OptionValues, AlwaysSet>

/** The defaults of the table. */
export const OPTION_DEFAULTS: Defaults = readDefaults()

function readDefaults(): Defaults {
  const defaults: Record<string, unknown> = {}
  for (const [name, row] of Object.entries(OPTION_TABLE)) {
    if ('default' in row) defaults[name] = row.default
    else if ('repeatable' in row) defaults[name] = []
  }
  return defaults as Defaults // The object has exactly the keys of `AlwaysSet`, with the values of their rows.
}

/** Picks the options that are settings of a script; those without a value are omitted. */
export function pickSettings<Values extends Partial<OptionValues>>(values: Values): SettingsOf<Values> {
  const isSetting = (name: string) =>
    Object.entries(OPTION_TABLE).some(([known, row]) => known === name && 'isSetting' in row)
  const picked = Object.entries(values).filter(([name, value]) => isSetting(name) && value !== undefined)
  return Object.fromEntries(picked) as SettingsOf<Values> // Only the settings remain.
}

type SettingsOf<Values> = Pick<Values, keyof Values & keyof OptionSettings>
