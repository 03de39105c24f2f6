import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../common/schema/find-schema-problems.ts'
import { OPERATION_NAMES } from '../../contract/facts.ts'
import type { CheckEntry, ConformanceDocument } from '../../reports/conformance-document.ts'
import { detectDifferences, type DifferenceName, type DifferencesOption } from '../differences/declared-differences.ts'
import type { Outcome } from '../findings/outcome.ts'
import { parseJson } from '../http/decode-body.ts'

/** Values of differences that a run shows, by name, with the number of checks that show each. */
type Detected = Map<DifferenceName, { readonly value: unknown; checks: number }[]>

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

/** Fields in which servers put the error instead of `error`, most common first. */
const ERROR_FIELDS = ['detail', 'message', 'errors', 'msg', 'title'] as const

/**
 * Adds the differences that a run found to those that it declared and showed. Leaves out a difference whose value this run
 * or an earlier run contradicts.
 */
export function draftDifferences(
  document: ConformanceDocument,
  earlier: readonly ConformanceDocument[] = [],
): DifferencesOption {
  const { target, checks } = document
  const contradicted = new Set([document, ...earlier].flatMap(listContradictedDifferences))
  const shown = new Set(checks.flatMap(({ verdict, differences = [] }) => (verdict === 'declared' ? differences : [])))
  const confirmed = (target.differences ?? []).filter(({ name }) => shown.has(name))
  const declared = Object.fromEntries(confirmed.map(({ name, value, why }) => [name, { value, why }]))
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
  const all = { ...declared, ...Object.fromEntries(drafted) }
  return Object.fromEntries(Object.entries(all).filter(([name]) => !contradicted.has(name)))
}

/** Lists the declared differences whose value the responses of a run contradict. */
function listContradictedDifferences({ checks }: ConformanceDocument): readonly string[] {
  return checks.flatMap(({ verdict, differences = [], params: { actualStatus } }) => {
    if (verdict !== 'fail') return []
    if (actualStatus === undefined) return differences
    // A request that is served or breaks down would fail without the declaration too. It is a fault or another difference.
    const isRejected = Number(actualStatus) >= 400 && Number(actualStatus) < 500
    return isRejected ? differences.filter((name) => name !== 'coercedValues') : []
  })
}

/** Returns whether a request without the header Authorization was served, although the check requires 401. */
function isServedWithoutHeader({ verdict, params: { difference, actualStatus } }: CheckEntry): boolean {
  const isWithoutHeader = isRecord(difference) && difference['credential'] === 'no-header'
  return verdict === 'fail' && isWithoutHeader && Number(actualStatus) < 300
}

function detectIn(check: CheckEntry): readonly { readonly name: DifferenceName; readonly value: unknown }[] {
  const { verdict, params } = check
  if (verdict !== 'fail' && verdict !== 'warn') return []
  const operation = OPERATION_NAMES.find((name) => name === params['operation']) ?? 'chat'
  const errorField = findErrorField(check)
  return [
    ...detectDifferences(readOutcome(check), operation),
    ...(errorField === undefined ? [] : [{ name: 'errorBodies', value: errorField } as const]),
  ]
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

/** Returns the field that contains the error in each error body of a check that found another form of error bodies. */
function findErrorField({ params: { expected }, evidence = [] }: CheckEntry): string | undefined {
  if (!isRecord(expected) || expected['rule'] !== 'error-body') return undefined
  const bodies = evidence.map(({ response }) => parseJson(response?.body ?? ''))
  return ERROR_FIELDS.find((field) => bodies.length > 0 && bodies.every((body) => isRecord(body) && field in body))
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
  if (all.every(isRecord)) return { value: Object.assign({}, ...all), checks }
  return values.toSorted((a, b) => b.checks - a.checks)[0] ?? { value: declared, checks }
}
