import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../common/json-object.ts'
import { OPERATION_NAMES } from '../../contract/facts.ts'
import type { CheckEntry, ConformanceDocument } from '../../reports/conformance-document.ts'
import {
  detectDifferences,
  type DetectedDifference,
  type DifferenceName,
  type DifferencesOption,
} from '../differences/declared-differences.ts'
import type { Outcome } from '../findings/outcome.ts'
import { parseJson } from '../http/decode-body.ts'

/** Values of differences that a run shows, by name, with the number of checks that show each. */
type Detected = Map<DifferenceName, { readonly value: unknown; checks: number }[]>

type RunResults = Pick<ConformanceDocument, 'target' | 'checks'>

/** Names of differences that concern many requests. A departure that only one check finds may be a fault. */
const OF_MANY_REQUESTS: ReadonlySet<DifferenceName> = new Set([
  'authentication',
  'invalidKeys',
  'validationErrors',
  'unknownEndpoints',
  'missingCredits',
  'coercedValues',
])
const MIN_CHECKS = 2

/** Adds the differences that a run found to its declared ones. Omits values that this or an earlier run contradicts. */
export function draftDifferences(document: RunResults, earlier: readonly RunResults[] = []): DifferencesOption {
  const { target, checks } = document
  const runs = [document, ...earlier]
  const contradictions = runs.flatMap(listContradictions)
  const shown = new Set(checks.flatMap(({ verdict, differences = [] }) => (verdict === 'declared' ? differences : [])))
  const declared = Object.fromEntries((target.differences ?? []).map(({ name, value, why }) => [name, { value, why }]))
  const confirmed = Object.fromEntries(Object.entries(declared).filter(([name]) => shown.has(name)))
  const detected: Detected = new Map()
  for (const check of checks) {
    for (const { name, value } of detectIn(check)) addValue(detected, name, value)
  }
  if (!checks.some(isServedWithoutHeader)) detected.delete('authentication')
  const drafted = [...detected].flatMap(([name, values]) => {
    const before = declared[name]
    const { value, checks: number } = joinValues(values, before?.value)
    if (OF_MANY_REQUESTS.has(name) && number < MIN_CHECKS) return []
    const why = before?.why ?? `init found this in ${number} ${number === 1 ? 'check' : 'checks'}`
    return [[name, { value, why }]]
  })
  const all: Readonly<Record<string, { readonly value: unknown; readonly why: string }>> = {
    ...confirmed,
    ...Object.fromEntries(drafted),
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, { value, why }]) => {
      const keys = contradictions.flatMap((one) => (one.name === name ? one.keys : []))
      const shownKeys = runs.flatMap((run) => listShownKeys(run, name))
      const kept = keys.length === 0 ? value : omitKeys(value, keys, shownKeys)
      return kept === undefined ? [] : [[name, { value: kept, why }]]
    }),
  )
}

/** A declared difference whose value a check contradicts. `keys` name the operation and the parameter of its request. */
interface Contradiction {
  readonly name: string
  readonly keys: readonly string[]
}

function listContradictions({ checks }: RunResults): readonly Contradiction[] {
  return checks.flatMap(({ verdict, differences = [], params }) => {
    const { actualStatus } = params
    if (verdict !== 'fail') return []
    // A request that is served or breaks down would fail without the declaration too. It is a fault or another difference.
    const isRejected = Number(actualStatus) >= 400 && Number(actualStatus) < 500
    if (actualStatus !== undefined && !isRejected) return []
    const names = actualStatus === undefined ? differences : differences.filter((name) => name !== 'coercedValues')
    return names.map((name) => ({ name, keys: keysOf(params) }))
  })
}

/** Returns the operation of a check, its parameter, and both: `chat`, `model` and `chat.model`. */
function keysOf({ operation, difference }: CheckEntry['params']): readonly string[] {
  const parameter = isJsonObject(difference) ? difference['parameter'] : undefined
  return parameter === undefined ? [String(operation)] : [operation, parameter, `${operation}.${parameter}`].map(String)
}

/** Lists the keys of the checks that found a difference. */
function listShownKeys({ checks }: RunResults, name: string): readonly (readonly string[])[] {
  const found = checks.filter((check) => detectIn(check).some((one) => one.name === name))
  return found.map(({ params }) => keysOf(params))
}

/** Returns the parts of a value that no check contradicts. Undefined if there is none. */
function omitKeys(value: unknown, keys: readonly string[], shown: readonly (readonly string[])[]): unknown {
  const entries = isJsonObject(value) ? Object.entries(value) : []
  const kept = entries.flatMap(([key, one]) => {
    if (!keys.includes(key)) return [[key, one] as const]
    const others = shown.filter(([operation = '', parameter]) => parameter === key && !keys.includes(operation))
    return others.map(([, , both = '']) => [both, one] as const)
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** Returns whether a request without the header Authorization was served, although the check requires 401. */
function isServedWithoutHeader({ verdict, params: { difference, actualStatus } }: CheckEntry): boolean {
  const isWithoutHeader = isJsonObject(difference) && difference['credential'] === 'no-header'
  return verdict === 'fail' && isWithoutHeader && Number(actualStatus) < 300
}

function detectIn(check: CheckEntry): readonly DetectedDifference[] {
  const { verdict, params, evidence = [] } = check
  if (verdict !== 'fail' && verdict !== 'warn') return []
  const operation = OPERATION_NAMES.find((name) => name === params['operation']) ?? 'chat'
  const bodies = evidence.map(({ response }) => parseJson(response?.body ?? ''))
  return detectDifferences(readOutcome(check), operation, bodies)
}

/** Reads the outcome of a check from the document, which contains all of its data. */
function readOutcome({ verdict, code, params }: CheckEntry): Outcome {
  const { operation: _operation, expected, difference, ...others } = params
  // The parameters are those of an outcome, as `buildDocumentFields` wrote them.
  return {
    verdict,
    code,
    params: others,
    ...(expected === undefined ? {} : { expected }),
    ...(difference === undefined ? {} : { difference }),
  } as unknown as Outcome
}

function addValue(detected: Detected, name: DifferenceName, value: unknown): void {
  const values = detected.get(name) ?? []
  const same = values.find((one) => isDeepStrictEqual(one.value, value))
  if (same === undefined) values.push({ value, checks: 1 })
  else same.checks += 1
  detected.set(name, values)
}

/** Joins lists and objects. Of other values, returns the one that most checks show. Adds the number of these checks. */
function joinValues(
  values: readonly { readonly value: unknown; readonly checks: number }[],
  declared: unknown,
): { readonly value: unknown; readonly checks: number } {
  const checks = values.reduce((sum, one) => sum + one.checks, 0)
  const all = [...(declared === undefined ? [] : [declared]), ...values.map(({ value }) => value)]
  if (all.every(Array.isArray)) return { value: [...new Set(all.flat())], checks }
  if (all.every(isJsonObject)) return { value: Object.assign({}, ...all), checks }
  return values.toSorted((a, b) => b.checks - a.checks)[0] ?? { value: declared, checks }
}
