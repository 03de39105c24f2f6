import { isJsonObject } from '../common/json-object.ts'
import type { CheckEntry, ConformanceDocument } from './conformance-document.ts'

/** What a gateway does where its owner decides. */
export interface Policy {
  readonly check: CheckEntry
  readonly title: string
  /** The most frequent behaviour and its exceptions: `1 in each case, but 500: 3`. */
  readonly summary: string
  /** The behaviour in each case. Empty if the policy has no cases. */
  readonly cases: readonly PolicyCase[]
}

export type PolicyCase = readonly [name: string, behaviour: string]

/** Lists the policies of a gateway that the run observed, in the order of the checks. */
export function listPolicies({ checks }: Pick<ConformanceDocument, 'checks'>): Policy[] {
  return checks
    .filter((check) => check.level === 'unspecified' && (check.verdict === 'observed' || listCases(check).length > 0))
    .map((check) => {
      const cases = listCases(check)
      const summary = cases.length === 0 ? describeBehaviour(check) : summarizeCases(cases)
      return { check, title: describeRequest(check), summary, cases }
    })
}

/** Maximum number of changed cases that a comparison lists. For more, it summarizes both observations. */
const MAX_CHANGED_CASES = 6

/** Describes the cases in which two observations of a policy differ, or both observations if they have no cases. */
export function describePolicyChange(before: CheckEntry, after: CheckEntry): { before: string; after: string } {
  const [old, now] = [new Map(listCases(before)), new Map(listCases(after))]
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name))
  if (names.length === 0) return { before: describeBehaviour(before), after: describeBehaviour(after) }
  const describe = (cases: ReadonlyMap<string, string>): string =>
    names.length > MAX_CHANGED_CASES
      ? summarizeCases([...cases])
      : joinExceptions(names.map((name) => [name, cases.get(name) ?? 'not tested']))
  return { before: describe(old), after: describe(now) }
}

function listCases({ value, params }: CheckEntry): PolicyCase[] {
  const seen = params['seen']
  const cases = isJsonObject(value) ? value : isJsonObject(seen) && isJsonObject(seen['cases']) ? seen['cases'] : {}
  return Object.entries(cases).map(([name, behaviour]) => [
    name,
    typeof behaviour === 'string' ? behaviour : JSON.stringify(behaviour),
  ])
}

const SAME_STATUS = 'same status as the upstream'

/** Summarizes the cases of a policy: the behaviour in most cases, and then the exceptions. Without a majority, lists all cases. */
function summarizeCases(cases: readonly PolicyCase[]): string {
  const byStatus = cases.map(([name, behaviour]): PolicyCase => [
    name,
    /^\d{3}$/.test(behaviour) && name.startsWith(behaviour) ? SAME_STATUS : behaviour,
  ])
  const [same, most] = [findMostFrequent(byStatus), findMostFrequent(cases)]
  const [compared, { behaviour, count }] = same.count < most.count ? [cases, most] : [byStatus, same]
  if (2 * count <= cases.length) return joinExceptions(cases)
  const exceptions = cases.filter((_, index) => compared[index]?.[1] !== behaviour)
  const usual = /^\d+$/.test(behaviour) && cases.length > 1 ? `${behaviour} in each case` : behaviour
  return exceptions.length === 0 ? usual : `${usual}, but ${joinExceptions(exceptions)}`
}

function findMostFrequent(cases: readonly PolicyCase[]): { readonly behaviour: string; readonly count: number } {
  const groups = groupByBehaviour(cases).map(([behaviour, { length: count }]) => ({ behaviour, count }))
  return groups.toSorted((a, b) => b.count - a.count)[0] ?? { behaviour: '', count: 0 }
}

/** Describes cases, grouped by behaviour: `429, 503: 3; 529: 503`. */
function joinExceptions(cases: readonly PolicyCase[]): string {
  return groupByBehaviour(cases)
    .map(([behaviour, names]) => `${names.join(', ')}: ${behaviour}`)
    .join('; ')
}

function groupByBehaviour(cases: readonly PolicyCase[]): [behaviour: string, names: string[]][] {
  const groups = Map.groupBy(cases, ([, behaviour]) => behaviour)
  return [...groups].map(([behaviour, group]) => [behaviour, group.map(([name]) => name)])
}

/** Describes the request of an observation: the title without a prefix such as `what the target does with`. */
export function describeRequest({ title }: CheckEntry): string {
  return title.replace(/^(?:what the target does (?:with|after)|the (?:handling of|behaviour after)) /, '')
}

/** Describes the observed behaviour, without the request, which reports show separately. */
export function describeBehaviour(check: CheckEntry): string {
  const subject = `${describeRequest(check)}: `
  return check.actual.startsWith(subject) ? check.actual.slice(subject.length) : check.actual
}
