import type { ObservedValue } from '../findings/observed-value.ts'
import { isSecretName } from '../../common/secrets/secret-values.ts'
import { OPERATIONS, PATH_PREFIX } from '../../contract/facts.ts'
import { type DifferencesOption, listDeclaredDifferences } from '../differences/declared-differences.ts'
import type { Declarations } from './declarations.ts'
import { type ModelsOption, parseModelsOption } from './declared-models.ts'
import { NO_KEY } from '../requests/api-request.ts'
import { findProxy } from '../http/find-proxy.ts'
import { KEY_NAMES, type TableOptions, type TargetKeys } from '../options/table-options.ts'
import { OPTION_TABLE, OPTIONAL_PARTS } from '../options/option-table.ts'
import type { Target } from './target.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'

/** Options that describe the target, except its URL and keys. */
export interface TargetOptions extends Pick<
  TableOptions,
  'baseUrl' | 'headers' | 'ca' | 'insecure' | 'limitedBurst' | 'without' | 'rate' | 'maxFlakes'
> {
  /** Models of some operations, or a list of models that replaces the models of the specification. */
  readonly models?: ModelsOption
  /** Declarations of unspecified behaviour by the ID of an observation, which each becomes a check. */
  readonly declares?: Readonly<Record<string, ObservedValue>>
  /** Policies of a gateway, by the ID of an observation. Each turns the observation into a check. */
  readonly policies?: Readonly<Record<string, ObservedValue>>
  /** Departures from the specification by design. The checks require the declared behaviour instead. */
  readonly differences?: DifferencesOption
  /** Declarations that some checks require. */
  readonly declarations?: Declarations
  readonly requestsPerMinute?: number
  /** Variables that contain the keys, for commands in reports. Default: those with the value, or of the options. */
  readonly keyVariables?: KeyVariables
  /** Names of headers whose values are secret although their names do not show it. */
  readonly secretHeaders?: readonly string[]
}

/** Names of environment variables that contain keys, by role. */
export type KeyVariables = Readonly<Partial<Record<keyof TargetKeys, string>>>

interface TargetInput extends TargetOptions {
  /** Base URL, with or without `/v1`. */
  readonly url: string
  readonly keys: TargetKeys
  readonly embedded: boolean
}

/** Validates the options of a target and applies defaults. Throws an InvalidOptionError. */
export function resolveTarget(input: TargetInput): Target {
  if (input.differences?.authentication !== undefined && input.differences.invalidKeys !== undefined) {
    const problem = 'differences.invalidKeys and differences.authentication exclude each other'
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'differences', problem })
  }
  const url = readAddress(input.url, 'url')
  const { byOperation, own } = parseModelsOption(input.models)
  const headers = Object.fromEntries((input.headers ?? []).map(readHeader))
  const proxy = findProxy(url, process.env)
  const requestsPerMinute = input.rate === undefined ? input.requestsPerMinute : parseRate(input.rate)
  return {
    url,
    baseUrl: input.baseUrl === undefined ? url : readAddress(input.baseUrl, 'baseUrl'),
    embedded: input.embedded,
    keys: readKeys(input.keys),
    keyVariables: { ...DEFAULT_KEY_VARIABLES, ...findKeyVariables(input.keys), ...input.keyVariables },
    headers,
    secretHeaders: Object.keys(headers).filter((name) => isSecretName(name) || isListed(input.secretHeaders, name)),
    ca: input.ca,
    insecure: input.insecure ?? false,
    proxy: proxy?.url,
    limitedBurst: input.limitedBurst ?? OPTION_TABLE.limitedBurst.default,
    models: byOperation,
    ownModels: own,
    notOffered: OPTIONAL_PARTS.filter((part) => input.without?.includes(part)),
    declarations: input.declarations ?? {},
    differences: listDeclaredDifferences(input.differences),
    requestsPerMinute,
    maxFlakesPercent: input.maxFlakes,
  }
}

const DEFAULT_KEY_VARIABLES: Readonly<Record<keyof TargetKeys, string>> = {
  funded: OPTION_TABLE['keys.funded'].env,
  noCredits: OPTION_TABLE['keys.noCredits'].env,
  limited: OPTION_TABLE['keys.limited'].env,
  small: OPTION_TABLE['keys.small'].env,
  revoked: OPTION_TABLE['keys.revoked'].env,
}

/** Finds the environment variables that contain keys, such as `KEY` if the tester wrote `--key "$KEY"`. */
function findKeyVariables(keys: TargetKeys): KeyVariables {
  return Object.fromEntries(
    KEY_NAMES.flatMap(({ name }) => {
      const value = keys[name]
      if (value === undefined || process.env[DEFAULT_KEY_VARIABLES[name]] === value) return []
      const variable = Object.keys(process.env).find((one) => process.env[one] === value)
      return variable === undefined || !/^[A-Za-z_]\w*$/.test(variable) ? [] : [[name, variable]]
    }),
  )
}

const SECONDS_OF_UNIT: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 }

/** Parses a rate such as `1/s`, `0.5/s`, `90/min` or `1000/h`. Returns requests per minute. */
function parseRate(text: string): number {
  const [, requests = '', unit = ''] = /^(\d+(?:\.\d+)?)\/(s|min|h)$/.exec(text.trim()) ?? []
  const perMinute = (Number(requests) * 60) / (SECONDS_OF_UNIT[unit] ?? Number.NaN)
  if (perMinute > 0) return perMinute
  const problem = 'is not a rate: write, for example, 1/s, 90/min or 1000/h'
  throw new InvalidOptionError({ reason: 'invalid-value', option: 'rate', value: text, problem })
}

/** Returns a base URL without `/v1`. Throws an InvalidOptionError for another address. */
export function readAddress(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new InvalidOptionError({ reason: 'invalid-value', option, problem: describeAddressProblem(text) })
  }
  if (url.username !== '' || url.password !== '') throw new InvalidOptionError({ reason: 'credentials-in-url', option })
  if (url.search !== '' || url.hash !== '') {
    const problem = 'must be a base URL, without a query or a fragment'
    throw new InvalidOptionError({ reason: 'invalid-value', option, problem })
  }
  const path = url.pathname.replace(/\/+$/, '')
  const operation = Object.values(OPERATIONS).find((one) => path.endsWith(one.path))
  if (operation !== undefined) {
    const base = url.origin + path.slice(0, -operation.path.length)
    const problem = `must be a base URL, without the path of an operation: write ${base}`
    throw new InvalidOptionError({ reason: 'invalid-value', option, problem })
  }
  return url.origin + (path.endsWith(PATH_PREFIX) ? path.slice(0, -PATH_PREFIX.length) : path)
}

/** Matches a host with an optional port and path, but without a scheme. */
const HOST_WITHOUT_SCHEME = /^[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/

function describeAddressProblem(text: string): string {
  if (text.trim() === '') return 'is empty: set it to the address of the target, such as http://127.0.0.1:8080'
  const example =
    HOST_WITHOUT_SCHEME.test(text) && /[.:]/.test(text) && !text.startsWith('sk-')
      ? `http://${text}`
      : 'http://127.0.0.1:8080'
  return `is not an http or https address: write ${example}`
}

function readKeys(keys: TargetKeys): TargetKeys {
  const given = KEY_NAMES.map(({ name }) => name).filter((name) => keys[name] !== undefined)
  for (const role of given) {
    const option = `keys.${role}`
    const problem = findKeyProblem(keys[role] ?? '')
    if (problem !== undefined) throw new InvalidOptionError({ reason: 'invalid-value', option, problem })
    const same = given.find((other) => other !== role && keys[other] === keys[role])
    if (same !== undefined) throw new InvalidOptionError({ reason: 'same-key', option, other: `keys.${same}` })
  }
  return keys
}

/** Describes what is invalid about a key, without its value. Returns undefined for a valid key. */
function findKeyProblem(key: string): string | undefined {
  if (key.trim() === '') return 'is empty. Set it to the key; if it comes from a variable, the variable is not set'
  if (/^["'].*["']$/s.test(key)) return 'contains the quotes around the key. Remove them'
  if (/^bearer\s/i.test(key)) return 'starts with "Bearer". Set only the key; touchstone adds "Bearer" itself'
  if (/^[\x21-\x7e]+$/.test(key)) return undefined
  return 'contains a space or a character that a header cannot contain. Set only the key'
}

function readHeader(line: string): [string, string] {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([\x20-\x7e]*)$/.exec(line)
  if (match === null) {
    throw new InvalidOptionError({
      reason: 'invalid-value',
      option: 'headers',
      problem: "must have the form 'Name: value'",
    })
  }
  const [, name = '', value = ''] = match
  if (['authorization', 'host', 'content-length', 'transfer-encoding'].includes(name.toLowerCase())) {
    throw new InvalidOptionError({ reason: 'reserved-header', option: 'headers', header: name })
  }
  return [name.toLowerCase(), value.trim()]
}

function isListed(names: readonly string[] | undefined, name: string): boolean {
  return (names ?? []).some((other) => other.toLowerCase() === name)
}

/** Completes the options for a target without authentication, which has no key, no credits and no rate limit. */
export function completeWithoutAuthentication<
  Options extends Pick<TargetOptions, 'without' | 'differences'> & { readonly keys?: TargetKeys },
>(options: Options): Options {
  const { keys, without = [], differences } = options
  if (!without.includes('authentication') && differences?.authentication === undefined) return options
  return {
    ...options,
    keys: { funded: NO_KEY, ...keys },
    without: [...without.filter((part) => part !== 'authentication'), 'credits', 'rate-limit'],
    differences: {
      authentication: { value: 'none', why: 'the owner states that the target has no keys' },
      ...differences,
    },
  }
}
