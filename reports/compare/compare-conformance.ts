import { isDeepStrictEqual } from 'node:util'
import type { CheckEntry, ConformanceDocument } from '../conformance-document.ts'
import { includeGateway, isGatewayCheck, isGatewayRun, listRuns, RUN_VERDICTS } from '../gateway-run.ts'
import { describePolicyChange } from '../policies.ts'
import { listAllCauses } from '../causes.ts'
import { describeBehaviour } from '../observation.ts'
import { isExemptCheck } from '../conformance-verdict.ts'
import type { RunChange, Comparison, ChangeDirection } from './comparison.ts'

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
      ...budgetChanges(before, after),
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
    ...(before.tool.version === after.tool.version
      ? []
      : [`The runs used different versions of touchstone: ${before.tool.version} and ${after.tool.version}.`]),
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
    const direction = RUN_VERDICTS.indexOf(after) > RUN_VERDICTS.indexOf(before) ? 'worse' : 'better'
    return [{ direction, sort: 'run', subject: isGatewayRun(run) ? 'the gateway' : 'the run', before, after }]
  })
}

/** Lists the declared differences that were added, removed or changed. */
function differenceChanges(before: ConformanceDocument, after: ConformanceDocument): RunChange[] {
  const entriesOf = ({ target: { differences = [] } }: ConformanceDocument) =>
    new Map(differences.map((entry) => [entry.name, entry]))
  const [earlier, later] = [entriesOf(before), entriesOf(after)]
  return [...new Set([...later.keys(), ...earlier.keys()])].flatMap((subject): RunChange[] => {
    const [old, now] = [earlier.get(subject), later.get(subject)]
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
            : directionOf(rankOf(old), rankOf(check)),
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

function directionOf(before: number, after: number): ChangeDirection {
  if (before === after) return 'different'
  return after > before ? 'worse' : 'better'
}

/**
 * Lists the causes of failures and warnings that only one run has, or whose number of checks changed. They do not count
 * as better or worse, because the changed verdicts do. Returns an empty list unless both documents contain causes.
 */
function causeChanges(before: ConformanceDocument, after: ConformanceDocument): RunChange[] {
  if (before.causes === undefined || after.causes === undefined) return []
  const countsOf = (document: ConformanceDocument): Map<string, string> =>
    new Map(
      listAllCauses(document)
        .filter(({ verdict }) => verdict !== 'not-testable')
        .map(({ title, count }) => [title, count]),
    )
  const [earlier, later] = [countsOf(before), countsOf(after)]
  return [...new Set([...later.keys(), ...earlier.keys()])].flatMap((title): RunChange[] => {
    const [old = 'none', now = 'none'] = [earlier.get(title), later.get(title)]
    return old === now ? [] : [{ direction: 'different', sort: 'cause', subject: title, before: old, after: now }]
  })
}

function budgetChanges(before: ConformanceDocument, after: ConformanceDocument): RunChange[] {
  const name = ({ metric, statistic, op, limit, unit }: NonNullable<ConformanceDocument['budgets']>[number]): string =>
    `${metric}.${statistic} ${op} ${limit} ${unit}`
  const earlier = new Map((before.budgets ?? []).map((budget) => [name(budget), budget]))
  return (after.budgets ?? []).flatMap((budget): RunChange[] => {
    const old = earlier.get(name(budget))
    if (old === undefined || old.verdict === budget.verdict) return []
    const words = ({ verdict, actual }: typeof budget): string => `${verdict} (${actual ?? 'nothing'} ms)`
    const direction = budget.verdict === 'broken' ? 'worse' : old.verdict === 'broken' ? 'better' : 'different'
    return [{ direction, sort: 'budget', subject: name(budget), before: words(old), after: words(budget) }]
  })
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
