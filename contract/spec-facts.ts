/** A row of a table of response fields (section 2). */
export interface ObjectFieldRow {
  readonly name: string
  readonly type: string
  readonly notes?: string
}

/** A row of a table of request parameters (section 4). */
export interface ParameterRow {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly default?: DefaultValue
  readonly description: string
}

/** Default value of a request parameter (section 8). */
export type DefaultValue = string | number | boolean

/**
 * Type of the constants in `facts.ts` that repeat the specification. It is wider than their literal types, so that
 * tests can pass modified values.
 */
export interface SpecFacts {
  readonly KEY_PREFIX: string
  readonly PATH_PREFIX: string
  readonly IMAGE_PATH_PREFIX: string
  readonly UNITS_PER_CREDIT: number
  readonly MODELS: readonly { readonly id: string; readonly description: string; readonly creditsPerToken: string }[]
  readonly QUALITY_MODES: readonly { readonly value: string; readonly meaning: string }[]
  readonly OBJECT_FIELDS: Readonly<
    Record<'model' | 'chatCompletion' | 'imageResult' | 'transcription', readonly ObjectFieldRow[]>
  >
  readonly OPERATIONS: Readonly<Record<string, { section: string; method: string; path: string; body: string }>>
  readonly PARAMETERS: Readonly<Record<'chat' | 'images' | 'transcriptions' | 'speech', readonly ParameterRow[]>>
  readonly PARAMETER_DEFAULTS: Readonly<Record<string, DefaultValue>>
  readonly TEMPERATURE_RANGE: { readonly min: number; readonly max: number }
  readonly MESSAGE_ROLES: readonly string[]
  readonly ERROR_STATUSES: readonly { readonly code: number; readonly meaning: string; readonly condition: string }[]
}
