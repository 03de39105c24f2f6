import { readFileSync } from 'node:fs'
import type { CheckEntry, ConformanceDocument } from '../../reports/conformance-document.ts'

/** Failures and warnings of a program that a person has looked at, with the sentence and the bytes. */
export interface Reviewed {
  /** Version of the program, as it was reviewed. */
  readonly version: string
  readonly verdict: ConformanceDocument['verdict']
  /** The causes of failures as the run names them, each with its number of failures, in their order. */
  readonly causes: readonly string[]
  readonly findings: readonly ReviewedFindings[]
}

/** Findings with the same reason. */
export interface ReviewedFindings {
  /** Why the finding is right: what the program does, and which sentence it contradicts. */
  readonly because: string
  /** The verdict, the code and the status, if there is one: `fail unexpected-status 422`. */
  readonly found: string
  readonly checks: readonly string[]
  /** True for a program whose responses are random: a run may lack these findings. */
  readonly isRandom?: true
}

/** Path of the list of a program. */
export function pathOfReview(id: string): URL {
  return new URL(`reviewed/${id}.json`, import.meta.url)
}

/** Reads the list of a program. */
export function readReview(id: string): Reviewed {
  // The repository's own file; the unit tests of this directory check what the type says.
  return JSON.parse(readFileSync(pathOfReview(id), 'utf8')) as Reviewed
}

const FINDINGS: ReadonlySet<CheckEntry['verdict']> = new Set(['fail', 'warn', 'error'])

/**
 * Describes each finding of a run, such as `4.2/role-first: warn stream-malformed`. Omits the warning about flakes,
 * which a busy machine causes.
 */
export function listFindings({ checks }: ConformanceDocument): string[] {
  return checks
    .filter(({ id, verdict }) => FINDINGS.has(verdict) && !(id === '7/flakes' && verdict === 'warn'))
    .map((check) => `${check.id}: ${describeFinding(check)}`)
}

/** Describes reviewed findings in the format of `listFindings`. */
export function listReviewed({ findings }: Reviewed, { isRandom }: { readonly isRandom: boolean }): string[] {
  return findings
    .filter((one) => (one.isRandom === true) === isRandom)
    .flatMap(({ checks, found }) => checks.map((id) => `${id}: ${found}`))
}

/** Joins the verdict, code and status of a result. */
function describeFinding({ verdict, code = '', params = {} }: CheckEntry): string {
  const status = params['actualStatus']
  return [verdict, code, ...(typeof status === 'number' ? [String(status)] : [])].join(' ')
}

/** Names the causes of failures, each with its number of failures. */
export function listCauses({ causes = [], checks }: ConformanceDocument): string[] {
  const failed = new Set(checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id))
  return causes.flatMap((cause) => {
    const failures = cause.checks.filter((id) => failed.has(id)).length
    return failures === 0 ? [] : [`${cause.title}: ${failures}`]
  })
}
