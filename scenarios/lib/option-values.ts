import type { OptionValues as OptionValuesOf } from '../../common/options/option-table.ts'
import type { TimedOperation } from '../../contract/facts.ts'
import { CHEAPEST_MODEL } from './credits.ts'
import { OPTION_TABLE } from './option-table.ts'
import type { ChatMembers } from './prompt-file.ts'

type Table = typeof OPTION_TABLE

/** TypeScript types of the load test's own types in the option table. */
export interface OptionTypes {
  /** Unix time in milliseconds. */
  readonly instant: number
  readonly header: RequestHeader
  readonly limit: DeclaredLimit
  readonly weights: OperationWeights
  readonly model: ModelChoice
  /** A budget in text form, such as `ttft.p99<=800ms`. */
  readonly budget: string
  readonly segment: RunSegment
  readonly body: ChatMembers
}

/** A request header that the user adds. The value has no surrounding spaces. */
export interface RequestHeader {
  readonly name: string
  readonly value: string
  /** Whether the value is secret although the name of the header does not show it. */
  readonly isSecret?: boolean
}

/**
 * A declared request limit. With `burst`, it is a token bucket of that capacity with a steady refill; otherwise a fixed
 * or sliding window.
 */
export interface DeclaredLimit {
  readonly requests: number
  readonly windowS: number
  readonly burst?: number
  /**
   * Whether the client sends one request at a time and obeys `Retry-After`. If false, it ignores 429 responses and
   * keeps sending.
   */
  readonly obey: boolean
}

/** Relative frequency of each operation in mixed traffic. */
export type OperationWeights = Readonly<Partial<Record<TimedOperation, number>>>

/** Operations for which the user can choose a model; `chat` includes streamed chat. */
export const MODEL_OPERATIONS = ['chat', 'images', 'transcriptions', 'speech'] as const

export type ModelOperation = (typeof MODEL_OPERATIONS)[number]

/** The cheapest model, for each operation. */
export const DEFAULT_MODELS: Readonly<Record<ModelOperation, string>> = {
  chat: CHEAPEST_MODEL,
  images: CHEAPEST_MODEL,
  transcriptions: CHEAPEST_MODEL,
  speech: CHEAPEST_MODEL,
}

/** The model for one operation, or for all operations if `operation` is null. */
export interface ModelChoice {
  readonly operation: ModelOperation | null
  readonly model: string
}

/** One segment of a run, number `index` (from 0) of `count`. Each process generates one segment. */
export interface RunSegment {
  readonly index: number
  readonly count: number
}

type NamesWith<Attribute> = {
  [Name in keyof Table]: Table[Name] extends Attribute ? Name : never
}[keyof Table]

/** Names of the options that always have a value. A repeatable option has an empty list if the user did not give it. */
type AlwaysSet = NamesWith<{ readonly default: unknown }> | NamesWith<{ readonly repeatable: true }>

/** Options without a flag: the environment or a target file sets them. */
export interface FlaglessOptions {
  /** API key for an upstream that is not an emulator: `TOUCHSTONE_UPSTREAM_KEY`. Default: `key`. */
  readonly upstreamKey?: string | undefined
  /** Path of a k6 that contains the extension: `TOUCHSTONE_K6`. */
  readonly k6?: string | undefined
  /** Whether the target has credits. A target file without them sets false. */
  readonly credits?: boolean
}

/** Options that a caller gave, without defaults. */
export type GivenOptions = OptionValuesOf<Table, OptionTypes> & FlaglessOptions

/** Options after defaults are applied. */
export type OptionValues = Required<Pick<GivenOptions, AlwaysSet>> & Omit<GivenOptions, AlwaysSet>

/** Options that a k6 script receives under the same name. */
export type OptionSettings = Pick<OptionValues, NamesWith<{ readonly isSetting: true }>>

type Defaults = Pick<OptionValues, AlwaysSet>

export const OPTION_DEFAULTS: Defaults = readDefaults()

function readDefaults(): Defaults {
  const defaults: Record<string, unknown> = {}
  for (const [name, row] of Object.entries(OPTION_TABLE)) {
    if ('default' in row) defaults[name] = row.default
    else if ('repeatable' in row) defaults[name] = []
  }
  // The cast is safe: the object has exactly the keys of `AlwaysSet`, with the default values of their rows.
  return defaults as Defaults
}

/** Returns the options that are settings of a k6 script, and that have a value. */
export function pickSettings<Values extends Partial<OptionValues>>(values: Values): SettingsOf<Values> {
  const isSetting = (name: string) =>
    Object.entries(OPTION_TABLE).some(([known, row]) => known === name && 'isSetting' in row)
  const picked = Object.entries(values).filter(([name, value]) => isSetting(name) && value !== undefined)
  return Object.fromEntries(picked) as SettingsOf<Values> // The cast is safe: the filter keeps only settings.
}

type SettingsOf<Values> = Pick<Values, keyof Values & keyof OptionSettings>
