import type { CheckEntry, CheckVerdict, ConformanceDocument } from '../conformance-document.ts'
import { describeBehaviour, describeRequest } from '../policies.ts'
import { getWorstVerdict, includeGateway } from '../gateway-run.ts'
import { formatRunVerdict, isExemptCheck } from '../conformance-verdict.ts'

/** Results of several targets by requirement. Each row has one cell per column. */
export interface Matrix {
  readonly columns: readonly MatrixColumn[]
  readonly requirements: readonly RequirementRow[]
  readonly unspecified: readonly UnspecifiedBehaviourRow[]
  readonly remarks: readonly string[]
}

export interface MatrixColumn {
  readonly name: string
  readonly target: string
  readonly isConformant: boolean
  /** Verdict of the run, with its declared differences. */
  readonly verdict: string
}

export interface RequirementRow {
  readonly id: string
  readonly section: string
  readonly quote: string
  readonly cells: readonly RequirementCell[]
}

/** The worst verdict of a requirement's checks on one target, or `not run`. */
export interface RequirementCell {
  readonly verdict: CheckVerdict | 'not run'
  /** Number of the requirement's checks with this verdict, and number of all its checks that ran. */
  readonly count: number
  readonly checks: number
  /** Finding of the first check with this verdict. Empty if the checks passed or did not run. */
  readonly actual: string
}

/** How each target behaves where the specification leaves the behaviour open. */
export interface UnspecifiedBehaviourRow {
  readonly id: string
  readonly subject: string
  /** Observed behaviour of each target. Empty for a target that was not tested. */
  readonly cells: readonly string[]
  readonly isAlike: boolean
}

export interface MatrixSource {
  readonly name: string
  readonly document: ConformanceDocument
}

const WORST_FIRST: readonly CheckVerdict[] = ['fail', 'error', 'not-testable', 'warn', 'declared', 'pass', 'observed']

/** Builds a matrix with one column for each run, in the given order. */
export function buildMatrix(given: readonly MatrixSource[]): Matrix {
  const sources = given.map(({ name, document }) => ({ name, document: includeGateway(document) }))
  const editions = new Set(given.map(({ document }) => document.spec.sha256))
  return {
    columns: given.map(({ name, document }) => ({
      name,
      target: document.target.url,
      isConformant: getWorstVerdict(document) === 'conformant',
      verdict: formatRunVerdict(document),
    })),
    requirements: requirementRows(sources),
    unspecified: unspecifiedRows(sources),
    remarks: editions.size > 1 ? ['The runs used different versions of the specification.'] : [],
  }
}

function requirementRows(sources: readonly MatrixSource[]): RequirementRow[] {
  const rows = firstOfEach(
    sources.flatMap(({ document }) => document.requirements.filter(({ level }) => level !== 'unspecified')),
  )
  const checksOf = sources.map(({ document }) => Map.groupBy(document.checks, ({ requirement }) => requirement))
  return rows
    .filter((row) => !('excluded' in row))
    .map(({ id, section, quote }) => ({
      id,
      section,
      quote,
      cells: checksOf.map((checks) => cellOf(checks.get(id) ?? [])),
    }))
    .toSorted((a, b) => a.section.localeCompare(b.section, 'en', { numeric: true }))
}

function cellOf(checks: readonly CheckEntry[]): RequirementCell {
  const evaluated = checks.filter(({ verdict }) => verdict !== 'observed')
  // Observations count only for requirements that have no other checks.
  const relevant = evaluated.length > 0 ? evaluated : checks
  const verdict = WORST_FIRST.find((candidate) => relevant.some((check) => check.verdict === candidate))
  if (verdict === undefined) return { verdict: 'not run', count: 0, checks: 0, actual: '' }
  const same = relevant.filter((check) => check.verdict === verdict)
  const [first] = same
  const excuse = first !== undefined && isExemptCheck(first) ? ' (excused)' : ''
  const actual = verdict === 'pass' || first === undefined ? '' : first.actual + excuse
  return { verdict, count: same.length, checks: relevant.length, actual }
}

function unspecifiedRows(sources: readonly MatrixSource[]): UnspecifiedBehaviourRow[] {
  const observed = sources.map(
    ({ document }) =>
      new Map(document.checks.filter(({ verdict }) => verdict === 'observed').map((check) => [check.id, check])),
  )
  return firstOfEach(observed.flatMap((checks) => [...checks.values()])).map((check) => {
    const cells = observed.map((checks) => {
      const entry = checks.get(check.id)
      return entry === undefined ? '' : describeBehaviour(entry)
    })
    return { id: check.id, subject: describeRequest(check), cells, isAlike: new Set(cells).size === 1 }
  })
}

function firstOfEach<Entry extends { readonly id: string }>(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.toReversed().map((entry) => [entry.id, entry])).values()].toReversed()
}
