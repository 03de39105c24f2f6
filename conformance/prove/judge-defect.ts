import type { Shortfall } from '../../reports/prove-document.ts'
import type { Defect } from './defect.ts'
import type { Finding } from './finding.ts'

/** What a run against a defect showed. */
export interface Judgement {
  /** The checks that caught it, as they should. */
  readonly kills: readonly string[]
  /** Other checks that turned, or that observed something else. */
  readonly alsoTouched: readonly string[]
  /** Why the defect does not count as caught; empty when it does. */
  readonly shortfalls: readonly Shortfall[]
}

/** By check id. */
export type Findings = ReadonlyMap<string, Finding>

/** Compares a run against a defect with the run without it. */
export function judgeDefect({ kills, mayTouch }: Defect, found: Findings, baseline: Findings): Judgement {
  const missed = Object.entries(kills).flatMap(([check, saying]): Shortfall[] => {
    const finding = found.get(check)
    const why = whyMissed(finding, baseline.get(check), saying)
    return why === undefined ? [] : [{ check, why, expected: saying.source, said: saidBy(finding) }]
  })
  const missedIds = new Set(missed.map(({ check }) => check))
  const beside = [...found.values()].filter(
    (finding) => !Object.hasOwn(kills, finding.id) && hasTurned(finding, baseline.get(finding.id)),
  )
  const allowed = new Set(mayTouch)
  const strayed = beside
    .filter((finding) => !allowed.has(finding.id) && isToBlame(finding, baseline.get(finding.id)))
    .map((finding) => ({
      check: finding.id,
      why: 'turned, although the defect does not concern it',
      expected: baseline.get(finding.id)?.verdict ?? 'nothing',
      said: saidBy(finding),
    }))
  return {
    kills: Object.keys(kills).filter((id) => !missedIds.has(id)),
    alsoTouched: beside.map(({ id }) => id),
    shortfalls: [...missed, ...strayed],
  }
}

function whyMissed(finding: Finding | undefined, before: Finding | undefined, saying: RegExp): string | undefined {
  if (finding === undefined || before === undefined) return 'no such check ran'
  // A check that broke off, or could not run, has caught nothing.
  if (!['fail', 'warn', 'observed'].includes(finding.verdict)) return 'did not notice'
  if (finding.hasBrokenOff) return 'an exchange broke off, which is no catch'
  if (finding.verdict === 'observed' && before.verdict !== 'observed') return 'only observed it'
  if (saying.test(before.actual)) return 'says the same without the defect'
  return saying.test(finding.actual) ? undefined : 'turned for another reason'
}

function saidBy(finding: Finding | undefined): string {
  return finding === undefined ? 'nothing' : `${finding.verdict}: ${finding.actual}`
}

function hasTurned(finding: Finding, before: Finding | undefined): boolean {
  return finding.verdict !== before?.verdict || (finding.verdict === 'observed' && finding.actual !== before.actual)
}

/** `not-testable` needs no place in the table: where a request is refused, whatever rests on its answer cannot be judged. */
function isToBlame(finding: Finding, before: Finding | undefined): boolean {
  return finding.verdict !== before?.verdict && finding.verdict !== 'not-testable'
}
