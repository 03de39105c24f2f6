import { isDeepStrictEqual } from 'node:util'
import type { CheckEntry, ConformanceDocument } from '../conformance-document.ts'
import { includeGateway, isGatewayCheck, isGatewayRun, listRuns, RUN_VERDICTS } from '../gateway-run.ts'
import { describeBehaviour, describePolicyChange } from '../policies.ts'
import { listAllCauses } from '../causes.ts'
import { isExemptCheck } from '../conformance-verdict.ts'
import {
  compareBudgets,
  compareRanks,
  type Comparison,
  pairValues,
  remarkOnVersions,
  type RunChange,
} from './comparison.ts'

/** Rank of each verdict; a higher rank is worse. */
const CHECK_RANKS: Readonly<Record<CheckEntry['verdict'], number>> = {
  pass: 0,
  observed: 0,
  declared: 0,
  warn: 1,
  'not-testable': 2,
  fail: 3,
  error: 4,
}

export function compareConformance(
  first: ConformanceDocument,
  second: ConformanceDocument,
): Pick<Comparison, 'remarks' | 'changes' | 'moves'> {
  const [before, after] = [includeGateway(first), includeGateway(second)]
  return {
    remarks: remarksOf(before, after),
    changes: [
      ...runChanges(first, second),
      ...differenceChanges(before, after),
      ...checkChanges(before, after),
      ...causeChanges(before, after),
      ...compareBudgets(before.budgets, after.budgets),
      ...findChecksOfOneRun(before, after),
    ],
    // Excludes latencies. The checks run concurrently, so their latencies are too imprecise for a CI gate.
    moves: [],
  }
}

function remarksOf(before: ConformanceDocument, after: ConformanceDocument): string[] {
  const selection = (document: ConformanceDocument): string => JSON.stringify(document.selection)
  return [
    ...(before.spec.sha256 === after.spec.sha256 ? [] : ['The runs used different versions of the specification.']),
    ...remarkOnVersions(before, after),
    ...(selection(before) === selection(after) ? [] : ['The runs selected different checks.']),
    ...((before.gateway === undefined) === (after.gateway === undefined) ? [] : ['Only one run tested a gateway.']),
    ...(before.strict === after.strict ? [] : ['One run was strict, and the other was not.']),
  ]
}

/** Lists the changed verdicts on the specification and on the gateway, if both documents contain them. */
function runChanges(first: ConformanceDocument, second: ConformanceDocument): RunChange[] {
  const earlier = listRuns(first)
  return listRuns(second).flatMap((run): RunChange[] => {
    const before = earlier.find((one) => isGatewayRun(one) === isGatewayRun(run))?.verdict
    const after = run.verdict
    if (before === undefined || before === after) return []
    const direction = compareRanks(RUN_VERDICTS.indexOf(before), RUN_VERDICTS.indexOf(after))
    return [{ direction, sort: 'run', subject: isGatewayRun(run) ? 'the gateway' : 'the run', before, after }]
  })
}

/** Lists the declared differences that were added, removed or changed. */
function differenceChanges(before: ConformanceDocument, after: ConformanceDocument): RunChange[] {
  const entriesOf = ({ target: { differences = [] } }: ConformanceDocument) =>
    new Map(differences.map((entry) => [entry.name, entry]))
  return pairValues(entriesOf(before), entriesOf(after)).flatMap(([subject, old, now]): RunChange[] => {
    if (isDeepStrictEqual(old?.value, now?.value)) return []
    const texts = { before: old?.text ?? 'not declared', after: now?.text ?? 'not declared' }
    return [{ direction: 'different', sort: 'difference', subject, ...texts }]
  })
}

function checkChanges(before: ConformanceDocument, after: ConformanceDocument): RunChange[] {
  const earlier = new Map(before.checks.map((check) => [check.id, check]))
  return after.checks.flatMap((check): RunChange[] => {
    const old = earlier.get(check.id)
    if (old === undefined) return []
    const common = { subject: check.id, title: check.title }
    if (wordsOf(old) !== wordsOf(check)) {
      return [
        {
          ...common,
          // A failure that only one run excuses or declares may be no change of the target.
          direction: [old.verdict, 'declared'].includes(check.verdict)
            ? 'different'
            : compareRanks(rankOf(old), rankOf(check)),
          sort: 'check',
          before: wordsOf(old),
          after: wordsOf(check) + (rankOf(check) > 0 ? `: ${check.actual}` : ''),
        },
      ]
    }
    const isOther = check.verdict === 'observed' && !isDeepStrictEqual(old.value, check.value)
    return isOther
      ? [
          {
            ...common,
            direction: 'different',
            ...(isGatewayCheck(check)
              ? { sort: 'policy', ...describePolicyChange(old, check) }
              : { sort: 'observation', before: describeBehaviour(old), after: describeBehaviour(check) }),
          },
        ]
      : []
  })
}

function wordsOf(check: CheckEntry): string {
  return isExemptCheck(check) ? `${check.verdict} (excused)` : check.verdict
}

function rankOf(check: CheckEntry): number {
  return isExemptCheck(check) ? 0 : CHECK_RANKS[check.verdict]
}

/** Lists the causes whose checks changed. They do not count as worse, because the changed verdicts do. */
function causeChanges(before: ConformanceDocument, after: ConformanceDocument): RunChange[] {
  const countsOf = (document: ConformanceDocument): Map<string, string> =>
    new Map(
      listAllCauses(document)
        .filter(({ verdict }) => verdict !== 'not-testable')
        .map(({ title, count }) => [title, count]),
    )
  return pairValues(countsOf(before), countsOf(after)).flatMap(([subject, old = 'none', now = 'none']): RunChange[] =>
    old === now ? [] : [{ direction: 'different', sort: 'cause', subject, before: old, after: now }],
  )
}

function findChecksOfOneRun(before: ConformanceDocument, after: ConformanceDocument): RunChange[] {
  const idsOf = ({ checks }: ConformanceDocument): Set<string> => new Set(checks.map(({ id }) => id))
  const [earlier, later] = [idsOf(before), idsOf(after)]
  const reasons = new Map([...before.notPlanned, ...after.notPlanned].map(({ id, reason }) => [id, reason]))
  const removed = before.checks.filter(({ id }) => !later.has(id))
  const added = after.checks.filter(({ id }) => !earlier.has(id))
  const common = (check: CheckEntry) =>
    ({ direction: 'different', sort: 'once', subject: check.id, title: check.title }) as const
  const describeNotRun = (id: string): string => `not run: ${reasons.get(id) ?? 'this version has no such check'}`
  return [
    ...removed.map((check) => ({ ...common(check), before: wordsOf(check), after: describeNotRun(check.id) })),
    ...added.map((check) => ({ ...common(check), before: describeNotRun(check.id), after: wordsOf(check) })),
  ]
}
