import { formatQuote } from './format-quote.ts'
import type { CheckEntry, CheckVerdict, ConformanceDocument } from './conformance-document.ts'
import { formatCount } from '../common/format-count.ts'

/** A cause of findings, with the details that reports show. */
export interface ReportedCause {
  readonly id: string | undefined
  readonly title: string
  /** Number of checks with this cause, in words: `21 checks`, `9 failures, 16 not testable`. */
  readonly count: string
  /** The most severe verdict of the checks with this cause. */
  readonly verdict: CheckVerdict
  readonly checks: readonly CheckEntry[]
  /** Sentence of the specification that `example` tests. */
  readonly quote: { readonly section: string; readonly text: string; readonly verbatim: string } | undefined
  readonly reproduce: string | undefined
  readonly remedy: string | undefined
  /** Check whose request `reproduce` repeats. If there is none, the first check with the most severe verdict. */
  readonly example: CheckEntry | undefined
}

/** Verdicts of checks that can have a cause, most severe first. */
const SEVERITY: readonly CheckVerdict[] = ['fail', 'error', 'warn', 'not-testable']

/** Lists the causes whose most severe verdict is `verdict`. */
export function listCauses(document: ConformanceDocument, verdict: CheckVerdict): ReportedCause[] {
  return listAllCauses(document).filter((cause) => cause.verdict === verdict)
}

export function listAllCauses({ causes, checks, requirements }: ConformanceDocument): ReportedCause[] {
  const byId = new Map(checks.map((check) => [check.id, check]))
  const quotes = new Map(
    requirements.map(({ id, section, quote }) => [id, { section, text: formatQuote(section, quote), verbatim: quote }]),
  )
  const find = (ids: readonly string[]): CheckEntry[] => ids.flatMap((id) => byId.get(id) ?? [])
  return causes.map(({ id, title, checks: ids, reproduce, remedy }) => {
    const members = find(ids)
    const verdict = SEVERITY.find((one) => members.some((check) => check.verdict === one)) ?? 'not-testable'
    const severe = mostSevere(members, verdict)
    const quoted = severe.find((check) => check.reproduce === reproduce) ?? severe[0]
    const quote = quoted === undefined ? undefined : quotes.get(quoted.requirement)
    return {
      id,
      title,
      count: describeCheckCount(members),
      verdict,
      checks: members,
      quote,
      reproduce,
      remedy,
      example: quoted,
    }
  })
}

function mostSevere(members: readonly CheckEntry[], verdict: CheckVerdict): CheckEntry[] {
  return members.filter((check) => check.verdict === verdict)
}

const NOUNS: Readonly<Partial<Record<CheckVerdict, string>>> = { fail: 'failure', error: 'error', warn: 'warning' }

/** Describes the checks with a cause: `9 failures, 16 not testable`, or `21 checks` if all are failures. */
export function describeCheckCount(members: readonly CheckEntry[], noun = 'check'): string {
  const counts = SEVERITY.map((verdict) => ({ verdict, n: mostSevere(members, verdict).length })).filter(
    ({ n }) => n > 0,
  )
  const [first, second] = counts
  if (first?.verdict === 'fail' && second === undefined) return formatCount(first.n, noun)
  return counts
    .map(({ verdict, n }) => {
      const word = NOUNS[verdict]
      return word === undefined ? `${n} not testable` : formatCount(n, word)
    })
    .join(', ')
}

export function groupCausesByCheck(document: ConformanceDocument): ReadonlyMap<string, ReportedCause> {
  return new Map(listAllCauses(document).flatMap((cause) => cause.checks.map(({ id }) => [id, cause])))
}
