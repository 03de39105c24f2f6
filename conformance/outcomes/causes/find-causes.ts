import type { CauseEntry, CausePart, CheckEntry } from '../../../reports/conformance-document.ts'
import { findEnvelopeCauses } from './envelope-causes.ts'
import { findAccountCauses, findErrorStatusCauses, findServedUnknownModelCauses } from './error-status-causes.ts'
import { createPossibleCause, type CauseFamily, type CheckFinding, type PossibleCause } from './finding.ts'
import { findFlakeCauses } from './flake-causes.ts'
import { buildOtherCause } from './other-cause.ts'
import { findKeyCauses } from './key-causes.ts'
import { findResponseCauses } from './response-causes.ts'
import { chooseCommand } from './choose-command.ts'
import { findCommonNoResultCause } from './no-result-cause.ts'
import { findRoleCauses } from './role-causes.ts'
import type { RunFacts } from './run-facts.ts'
import { collectRunFacts } from './collect-run-facts.ts'
import { findUnlistedModelCauses, findUnservedCauses } from './unserved-causes.ts'

/** A cause, with the findings that it explains. */
interface Cause {
  readonly possibleCause: PossibleCause
  readonly members: readonly CheckFinding[]
  /** Causes that this cause merges. */
  readonly parts?: readonly Cause[]
}

/**
 * Groups the findings of a run by cause. Sorts the causes by their most severe finding: failures, errors, warnings,
 * checks that are not testable. Among equally severe causes, those with the most failures come first, and then those
 * with the most checks. If there are many failures, the first three causes explain most of them where possible.
 * @param all results of all checks; passed checks show which operations conform
 */
export function findCauses(all: readonly CheckFinding[]): CauseEntry[] {
  const run = collectRunFacts(all)
  const open = all.filter(({ entry }) => !WITHOUT_CAUSE.has(entry.verdict) && !isExcused(entry))
  return orderClearly(coverGreedily(open, run)).map(entryOf)
}

const WITHOUT_CAUSE: ReadonlySet<CheckEntry['verdict']> = new Set(['pass', 'observed'])

function isExcused({ knownFailure, accepted }: CheckEntry): boolean {
  return (knownFailure ?? accepted) !== undefined
}

/**
 * Selects causes until each finding has one. Each step selects the possible cause that explains the most of the
 * remaining findings.
 */
function coverGreedily(findings: readonly CheckFinding[], run: RunFacts): Cause[] {
  const candidates = new Map(findings.map((finding) => [finding, listPossibleCauses(finding, run)]))
  const causes: Cause[] = []
  let left = [...findings]
  while (left.length > 0) {
    const byKey = new Map<string, { possibleCause: PossibleCause; members: CheckFinding[] }>()
    for (const finding of left) {
      for (const possibleCause of candidates.get(finding) ?? []) {
        const known = byKey.get(possibleCause.key) ?? { possibleCause, members: [] }
        known.members.push(finding)
        byKey.set(possibleCause.key, known)
      }
    }
    // On a tie, selects the cause that was listed first, because each finding lists its narrowest possible cause first.
    const [best] = [...byKey.values()].toSorted((a, b) => b.members.length - a.members.length)
    if (best === undefined) break
    causes.push(best)
    const explained = new Set(best.members)
    left = left.filter((finding) => !explained.has(finding))
  }
  return causes
}

/**
 * Lists the possible causes of a finding, starting with the narrowest. The list is never empty, and contains no key
 * twice.
 */
function listPossibleCauses(finding: CheckFinding, run: RunFacts): PossibleCause[] {
  const ofBody = findBodyCause(finding.outcome)
  if (ofBody !== undefined) return [ofBody]
  const ofRole = findRoleCauses(finding, run)
  if (ofRole.length > 0) return ofRole
  const found = [
    ...findEnvelopeCauses(finding),
    ...findUnlistedModelCauses(finding, run),
    ...findErrorStatusCauses(finding, run),
    ...findKeyCauses(finding, run),
    ...findUnservedCauses(finding, run),
    ...findResponseCauses(finding, run),
    ...findFlakeCauses(finding, run),
  ]
  const own = found.length === 0 ? [buildOtherCause(finding)] : found
  const all = [
    ...own,
    ...findCommonNoResultCause(found, run),
    ...findAccountCauses(finding, run),
    ...findServedUnknownModelCauses(finding, run),
  ]
  return all.filter(({ key }, index) => all.findIndex((one) => one.key === key) === index)
}

/** Returns the only possible cause of a body that a response must not have, or of its byte order mark. */
function findBodyCause({ code, params }: CheckFinding['outcome']): PossibleCause | undefined {
  if (code !== 'wrong-body') return undefined
  if (params.problem === 'present')
    return createPossibleCause('head body', '`HEAD /v1/models` sends a body, but a response to HEAD has none')
  return params.problem === 'byte-order-mark'
    ? createPossibleCause('byte order mark', 'JSON responses start with a byte order mark')
    : undefined
}

/** Number of failures above which the first three causes must explain most of them. */
const MANY_FAILURES = 20
const FIRST_CAUSES = 3
const CLEAR_SHARE = 0.8

/**
 * Sorts the causes. If the first three explain too few of many failures, merges causes of one family until the first
 * three explain enough.
 */
function orderClearly(causes: readonly Cause[]): readonly Cause[] {
  const failures = causes.reduce((sum, { members }) => sum + countOf(members, 'fail'), 0)
  const isClear = (ordered: readonly Cause[]): boolean =>
    failures <= MANY_FAILURES || explainedFirst(ordered) >= CLEAR_SHARE * failures
  let ordered = byFailures(causes)
  for (const isWide of [false, true]) {
    while (!isClear(ordered)) {
      const families = familiesOf(ordered).filter((family) => (family.isWide ?? false) === isWide)
      const candidates = families.map((family) => byFailures(mergeFamily(ordered, family)))
      const [best] = candidates.toSorted((a, b) => explainedFirst(b) - explainedFirst(a) || b.length - a.length)
      if (best === undefined || explainedFirst(best) <= explainedFirst(ordered)) break
      // The title of a wide family says little, so its merge must suffice.
      if (isWide && !isClear(best)) break
      ordered = best
    }
  }
  return ordered
}

function explainedFirst(ordered: readonly Cause[]): number {
  return ordered.slice(0, FIRST_CAUSES).reduce((sum, { members }) => sum + countOf(members, 'fail'), 0)
}

function byFailures(causes: readonly Cause[]): Cause[] {
  const failures = ({ members }: Cause): number => countOf(members, 'fail')
  return causes.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || failures(b) - failures(a) || b.members.length - a.members.length,
  )
}

/** Returns the families to which at least two of the given causes belong. */
function familiesOf(causes: readonly Cause[]): CauseFamily[] {
  const all = causes.flatMap(({ possibleCause }) => possibleCause.families ?? [])
  const byKey = Map.groupBy(all, ({ key }) => key)
  return [...byKey.values()].flatMap(([family, ...others]) =>
    family === undefined || others.length === 0 ? [] : family,
  )
}

function mergeFamily(causes: readonly Cause[], family: CauseFamily): Cause[] {
  const belongs = ({ possibleCause }: Cause): boolean =>
    (possibleCause.families ?? []).some(({ key }) => key === family.key)
  const inFamily = causes.filter(belongs)
  const [first] = inFamily
  const wider = (first?.possibleCause.families ?? []).filter(({ key }) => key !== family.key)
  const members = inFamily.flatMap((cause) => cause.members)
  const parts = byFailures(inFamily.flatMap((cause) => cause.parts ?? [cause]))
  return [
    ...causes.filter((cause) => !belongs(cause)),
    { possibleCause: { ...family, families: wider }, members, parts },
  ]
}

function countOf(members: readonly CheckFinding[], verdict: CheckEntry['verdict']): number {
  return members.filter(({ entry }) => entry.verdict === verdict).length
}

const RANKS: readonly CheckEntry['verdict'][] = ['fail', 'error', 'warn', 'not-testable']

function rankOf({ members }: Cause): number {
  return RANKS.findIndex((verdict) => countOf(members, verdict) > 0)
}

/**
 * Moves the findings without a command to the front, because reports quote the sentence of the first failure. Such a
 * finding summarizes several requests.
 */
function summariesFirst(members: readonly CheckFinding[]): CheckFinding[] {
  const hasCommand = ({ entry }: CheckFinding): number => (entry.reproduce === undefined ? 0 : 1)
  return members.toSorted((a, b) => hasCommand(a) - hasCommand(b))
}

function entryOf({ possibleCause, members, parts = [] }: Cause): CauseEntry {
  const { command } = possibleCause
  const reproduce = command === undefined ? chooseCommand(members) : command(members)
  const remedy = possibleCause.remedy?.(members)
  const ordered = command === undefined ? members : summariesFirst(members)
  return {
    title: possibleCause.title(members),
    checks: ordered.map(({ entry }) => entry.id),
    ...(reproduce === undefined ? {} : { reproduce }),
    ...(remedy === undefined ? {} : { remedy }),
    ...(parts.length === 0 ? {} : { parts: parts.map(entryOfPart) }),
  }
}

function entryOfPart(part: Cause): CausePart {
  const { title, checks, reproduce } = entryOf(part)
  return { title, checks, ...(reproduce === undefined ? {} : { reproduce }) }
}
