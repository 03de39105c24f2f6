import { isJsonObject } from '../../common/json-object.ts'
import { tryToParseJson } from '../../common/parse-json.ts'
import { TIMED_OPERATIONS } from '../../contract/facts.ts'
import type { LoadSettings } from './load-settings.ts'
import { DEFAULT_MODELS, OPTION_DEFAULTS, pickSettings } from './option-values.ts'
import { parseInstant } from './parse-instant.ts'
import { type ProfileName, PROFILES, resolveProfile } from './profiles.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Defaults of the settings that depend neither on the profile nor on the target. */
const DEFAULTS = {
  ...pickSettings(OPTION_DEFAULTS),
  thresholds: { http_req_failed: ['rate<=0.01'], http_reqs: ['count>0'], checks: ['rate==1'] },
} as const satisfies Partial<LoadSettings>

/**
 * Parses the settings of a script from `TOUCHSTONE_LOAD`, JSON that may omit settings. If the user runs k6 directly,
 * also reads `TOUCHSTONE_TARGET`, `TOUCHSTONE_PROFILE`, `TOUCHSTONE_VUS`, `TOUCHSTONE_RATE`, `TOUCHSTONE_DURATION_S`
 * and `TOUCHSTONE_START_AT`.
 * @throws Error with one sentence that names the setting to change
 */
export function parseSettings(environment: Environment): LoadSettings {
  const given = parseGiven(environment['TOUCHSTONE_LOAD'])
  const { iterations: profileIterations, ...byHand } = resolveProfile(profileOf(environment), {
    arrivals: given.arrivals,
    vus: numberOf(environment, 'TOUCHSTONE_VUS'),
    rate: numberOf(environment, 'TOUCHSTONE_RATE'),
    durationS: numberOf(environment, 'TOUCHSTONE_DURATION_S'),
    iterations: given.iterations,
  })
  const settings = {
    ...DEFAULTS,
    ...byHand,
    // The user's stages determine when the load ends, so they replace the profile's number of iterations.
    ...(profileIterations === undefined || given.stages !== undefined ? {} : { iterations: profileIterations }),
    ...given,
    extension: { ...startOf(environment), ...given.extension },
    target: targetOf(given.target ?? environment['TOUCHSTONE_TARGET']),
    models: { ...DEFAULT_MODELS, ...given.models },
  }
  checkLoad(settings)
  checkStart(settings, environment)
  checkWeights(settings.weights)
  return settings
}

function parseGiven(text: string | undefined): Partial<LoadSettings> {
  if (text === undefined || text === '') return {}
  const given = tryToParseJson(text)
  if (!isJsonObject(given)) {
    throw new Error('TOUCHSTONE_LOAD is not a JSON object: write {"maxTokens": 100}, or omit it.')
  }
  // The cast is unchecked: `touchstone load` serializes this type. `parseSettings` detects likely mistakes in
  // hand-written settings.
  return given as Partial<LoadSettings>
}

/**
 * Parses `TOUCHSTONE_HEADERS`: a JSON object of header values by name.
 * @throws Error with one sentence
 */
export function parseHeaders(text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined || text === '') return {}
  const headers = tryToParseJson(text)
  if (!isTextRecord(headers)) {
    throw new Error('TOUCHSTONE_HEADERS is not a JSON object of strings: write {"x-tenant": "blue"}, or omit it.')
  }
  return headers
}

function isTextRecord(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string')
}

function targetOf(target: string | undefined): string {
  if (target === undefined || !/^https?:\/\/[^/]/.test(target)) {
    const found = target === undefined || target === '' ? 'it is not set' : `it is ${JSON.stringify(target)}`
    throw new Error(`TOUCHSTONE_TARGET must be the URL of a service, such as http://127.0.0.1:8080, and ${found}.`)
  }
  return target.replace(/\/+$/, '').replace(/\/v1$/, '')
}

function profileOf(environment: Environment): ProfileName {
  const name = environment['TOUCHSTONE_PROFILE'] ?? 'smoke'
  if (!Object.hasOwn(PROFILES, name)) {
    throw new Error(`TOUCHSTONE_PROFILE must be one of ${Object.keys(PROFILES).join(', ')}, not ${name}.`)
  }
  return name as ProfileName // The cast is safe: the name is one of the keys.
}

function numberOf(environment: Environment, name: string): number | undefined {
  const text = environment[name]
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (!(value > 0) || !Number.isFinite(value)) throw new Error(`${name} must be a number above 0, not ${text}.`)
  return value
}

function startOf(environment: Environment): LoadSettings['extension'] {
  const text = environment['TOUCHSTONE_START_AT']
  if (text === undefined || text === '') return {}
  try {
    return { startAtUnixMs: parseInstant(text) }
  } catch {
    throw new Error(`TOUCHSTONE_START_AT must be a time like 2030-01-01T12:00:00Z, or Unix seconds, not ${text}.`)
  }
}

/** Rejects a start time for a closed loop, whose clients start as soon as k6 starts them. */
function checkStart({ arrivals }: LoadSettings, environment: Environment): void {
  if (arrivals === 'closed' && Object.keys(startOf(environment)).length > 0) {
    throw new Error('TOUCHSTONE_START_AT needs planned arrivals: set TOUCHSTONE_RATE, or omit it.')
  }
}

function checkWeights(weights: LoadSettings['weights']): void {
  if (weights === undefined) return
  const names: readonly string[] = TIMED_OPERATIONS
  for (const [name, weight] of Object.entries(weights)) {
    if (!names.includes(name) || !(weight >= 0)) {
      throw new Error(
        `The setting weights contains ${name}: ${weight}. Each weight must be a number of at least 0, for one of ${names.join(', ')}.`,
      )
    }
  }
  if (Object.values(weights).every((weight) => weight === 0)) {
    throw new Error('The setting weights has no weight above 0, so the run would send no request.')
  }
}

function checkLoad({ vus, maxTokens, promptWords, arrivals, tracePath, stages, iterations }: LoadSettings): void {
  const counts = { vus, maxTokens, promptWords, ...(iterations === undefined ? {} : { iterations }) }
  for (const [name, count] of Object.entries(counts)) {
    if (!Number.isInteger(count) || count < 1) {
      throw new Error(`The setting ${name} must be a whole number of at least 1, not ${JSON.stringify(count)}.`)
    }
  }
  const isRate = (value: unknown) => typeof value === 'number' && value >= 0
  if (!Array.isArray(stages) || !stages.every((s) => isRate(s.durationS) && isRate(s.from) && isRate(s.to))) {
    throw new Error('The setting stages must be a list like [{"durationS": 60, "from": 1, "to": 5}].')
  }
  if (!['closed', 'constant', 'poisson', 'trace'].includes(arrivals)) {
    throw new Error(`The setting arrivals must be closed, constant, poisson or trace, not ${JSON.stringify(arrivals)}.`)
  }
  if (arrivals === 'trace' && tracePath === undefined) {
    throw new Error('Arrivals from a trace need the setting tracePath, the absolute path of its file.')
  }
}
