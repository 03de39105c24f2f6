import { readFileSync } from 'node:fs'
import type { CheckEntry, ConformanceDocument } from '../../reports/conformance-document.ts'

/**
 * Failures and warnings of a third-party server, which a person has compared with the specification and the raw
 * responses.
 */
export interface ReviewedSoftware {
  readonly version: string
  readonly verdict: ConformanceDocument['verdict']
  /** Titles of the causes of failures, each with its number of failures, in the order of the run. */
  readonly causes: readonly string[]
  readonly findings: readonly ReviewedFindings[]
}

export interface ReviewedFindings {
  /**
   * Why the finding is correct: the behaviour of the server, and the sentence of the specification that it violates.
   */
  readonly because: string
  /** Verdict, code and status (if any) of the finding, such as `fail unexpected-status 422`. */
  readonly found: string
  readonly checks: readonly string[]
  /** Whether the finding does not occur in every run, because the server's responses are random. */
  readonly isRandom?: true
}

export function getReviewUrl(id: string): URL {
  return new URL(`reviewed/${id}.json`, import.meta.url)
}

export function readReview(id: string): ReviewedSoftware {
  // The cast is safe: reviewed.test.ts validates these files.
  return JSON.parse(readFileSync(getReviewUrl(id), 'utf8')) as ReviewedSoftware
}

const FINDINGS: ReadonlySet<CheckEntry['verdict']> = new Set(['fail', 'warn', 'error'])

/**
 * Lists the findings of a run, such as `4.2/role-first: warn stream-malformed`. Omits the warning about flaky
 * responses, which a busy machine can cause.
 */
export function listFindings({ checks }: ConformanceDocument): string[] {
  return checks
    .filter(({ id, verdict }) => FINDINGS.has(verdict) && !(id === '7/flakes' && verdict === 'warn'))
    .map((check) => `${check.id}: ${describeFinding(check)}`)
}

/** Lists the reviewed findings in the format of {@link listFindings}. */
export function listReviewedFindings(
  { findings }: ReviewedSoftware,
  { isRandom }: { readonly isRandom: boolean },
): string[] {
  return findings
    .filter((one) => (one.isRandom === true) === isRandom)
    .flatMap(({ checks, found }) => checks.map((id) => `${id}: ${found}`))
}

function describeFinding({ verdict, code, params }: CheckEntry): string {
  const status = params['actualStatus']
  return [verdict, code, ...(typeof status === 'number' && status > 0 ? [String(status)] : [])].join(' ')
}

/** Lists the titles of the causes of failures, each with its number of failures. */
export function listCauses({ causes, checks }: ConformanceDocument): string[] {
  const failed = new Set(checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id))
  return causes.flatMap((cause) => {
    const failures = cause.checks.filter((id) => failed.has(id)).length
    return failures === 0 ? [] : [`${cause.title}: ${failures}`]
  })
}
