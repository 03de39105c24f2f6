import {
  type GivenOptions,
  type ModelOperation,
  MODEL_OPERATIONS,
  OPTION_DEFAULTS,
  type OptionValues,
  type RequestHeader,
} from '../../scenarios/lib/option-values.ts'

/** Options of a load run, with defaults applied. */
export interface LoadOptions extends OptionValues {
  readonly credits: boolean
  /** Arguments that are passed unchanged to k6. */
  readonly k6Options: readonly string[]
}

/** API keys by role. */
export interface LoadKeys {
  readonly funded?: string
  readonly limited?: string
  readonly small?: string
}

/** Option that sets the key of each role, and the environment variable that passes the key to a k6 script. */
export const KEY_OPTIONS = {
  funded: { option: 'key', env: 'TOUCHSTONE_KEY' },
  limited: { option: 'limitedKey', env: 'TOUCHSTONE_KEY_LIMITED' },
  small: { option: 'smallKey', env: 'TOUCHSTONE_KEY_SMALL' },
} as const

/** Environment variable that passes the added headers to a k6 script, as a JSON object of values by name. */
export const HEADERS_VARIABLE = 'TOUCHSTONE_HEADERS'

/** Returns the values of headers by lower-case name. If a name occurs several times, the last value counts. */
export function indexHeaders(headers: readonly RequestHeader[]): Record<string, string> {
  return Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]))
}

/** Applies the defaults of the option table to the options that the user gave. */
export function applyDefaults(given: GivenOptions, k6Options: readonly string[] = []): LoadOptions {
  // An empty environment variable counts as unset.
  const { key, limitedKey, smallKey, upstreamKey, k6, ...others } = given
  return {
    ...OPTION_DEFAULTS,
    credits: true,
    ...others,
    ...(key ? { key } : {}),
    ...(limitedKey ? { limitedKey } : {}),
    ...(smallKey ? { smallKey } : {}),
    ...(upstreamKey ? { upstreamKey } : {}),
    ...(k6 ? { k6 } : {}),
    k6Options,
  }
}

export function selectKeys({ key, limitedKey, smallKey }: LoadOptions): LoadKeys {
  return {
    ...(key === undefined ? {} : { funded: key }),
    ...(limitedKey === undefined ? {} : { limited: limitedKey }),
    ...(smallKey === undefined ? {} : { small: smallKey }),
  }
}

/** Returns the model that the options choose for each operation. A model for one operation has precedence. */
export function selectModels({ models }: Pick<LoadOptions, 'models'>): Partial<Record<ModelOperation, string>> {
  const chosen: Partial<Record<ModelOperation, string>> = {}
  for (const { operation, model } of models) {
    if (operation === null) for (const name of MODEL_OPERATIONS) chosen[name] = model
  }
  for (const { operation, model } of models) if (operation !== null) chosen[operation] = model
  return chosen
}
