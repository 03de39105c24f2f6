import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { Shortfall } from '../../reports/prove-document.ts'
import type { Defect } from './defect.ts'

/** What a run against a defect showed. */
export interface Judgement {
  /** The checks that caught it, as they should. */
  readonly kills: readonly string[]
  /** Other checks that turned, or that observed something else. */
  readonly alsoTouched: readonly string[]
  /** Why the defect does not count as caught; empty when it does. */
  readonly shortfalls: readonly Shortfall[]
}

type Entries = ReadonlyMap<string, CheckEntry>

/** Compares a run against a defect with the run without it. */
export function judgeDefect({ kills, mayTouch }: Defect, entries: Entries, baseline: Entries): Judgement {
  const missed = Object.entries(kills).flatMap(([check, saying]): Shortfall[] => {
    const entry = entries.get(check)
    const why = whyMissed(entry, baseline.get(check), saying)
    return why === undefined ? [] : [{ check, why, expected: saying.source, said: saidBy(entry) }]
  })
  const missedIds = new Set(missed.map(({ check }) => check))
  const beside = [...entries.values()].filter(
    (entry) => !Object.hasOwn(kills, entry.id) && hasTurned(entry, baseline.get(entry.id)),
  )
  const allowed = new Set(mayTouch)
  const strayed = beside
    .filter((entry) => !allowed.has(entry.id) && isToBlame(entry, baseline.get(entry.id)))
    .map((entry) => ({
      check: entry.id,
      why: 'turned, although the defect does not concern it',
      expected: baseline.get(entry.id)?.verdict ?? 'nothing',
      said: saidBy(entry),
    }))
  return {
    kills: Object.keys(kills).filter((id) => !missedIds.has(id)),
    alsoTouched: beside.map(({ id }) => id),
    shortfalls: [...missed, ...strayed],
  }
}

function whyMissed(entry: CheckEntry | undefined, before: CheckEntry | undefined, saying: RegExp): string | undefined {
  if (entry === undefined || before === undefined) return 'no such check ran'
  // A check that broke off, or could not run, has caught nothing.
  if (!['fail', 'warn', 'observed'].includes(entry.verdict)) return 'did not notice'
  if (entry.evidence?.some(({ error }) => error !== undefined)) return 'an exchange broke off, which is no catch'
  if (entry.verdict === 'observed' && before.verdict !== 'observed') return 'only observed it'
  if (saying.test(before.actual)) return 'says the same without the defect'
  return saying.test(entry.actual) ? undefined : 'turned for another reason'
}

function saidBy(entry: CheckEntry | undefined): string {
  return entry === undefined ? 'nothing' : `${entry.verdict}: ${entry.actual}`
}

function hasTurned(entry: CheckEntry, before: CheckEntry | undefined): boolean {
  return entry.verdict !== before?.verdict || (entry.verdict === 'observed' && entry.actual !== before.actual)
}

/** `not-testable` needs no place in the table: where a request is refused, whatever rests on its answer cannot be judged. */
function isToBlame(entry: CheckEntry, before: CheckEntry | undefined): boolean {
  return entry.verdict !== before?.verdict && entry.verdict !== 'not-testable'
}
