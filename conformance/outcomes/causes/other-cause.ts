import { describeDifference, describeServedVariant } from '../sentences/responses.ts'
import type { CheckFinding, PossibleCause } from './finding.ts'
import { describeEndpoint, nameErrorResponses } from './title-parts.ts'

/** Maximum length of a quoted response in a title, in characters. */
const MAX_QUOTED_CHARACTERS = 120

/**
 * Creates the cause of a finding for which no other function finds one. Findings that are not testable for the same
 * reason share their cause.
 */
export function buildOtherCause(finding: CheckFinding): PossibleCause {
  const { entry, outcome, operation } = finding
  if (entry.verdict === 'not-testable') {
    // The title quotes only the first line, because later lines contain advice.
    const [reason = ''] = entry.actual.split('\n')
    return { key: `reason ${entry.actual}`, title: () => reason.replace(/\.$/, '') }
  }
  if (outcome.code === 'served-only-otherwise') {
    const { difference, params } = outcome
    const otherwise = describeServedVariant(params.servedWith)
    const request = difference === undefined ? '' : ` (${describeDifference(difference)})`
    return {
      key: `otherwise ${operation} ${request} ${otherwise}`,
      title: () =>
        `Valid requests to ${describeEndpoint(operation)}${request} get ${params.actualStatus}, and are served only ${otherwise}`,
    }
  }
  return { key: `check ${entry.id}`, title: () => contradict(finding) }
}

/** Negates the title of a check, e.g. `The target does not list …: not listed: o3-mini`. */
function contradict(finding: CheckFinding): string {
  const { entry, outcome } = finding
  if (outcome.code === 'missing-header')
    return `${nameErrorResponses([finding]) ?? 'Responses'} have no header \`${outcome.params.header}\``
  const { actual } = entry
  const quoted = actual.length > MAX_QUOTED_CHARACTERS ? `${actual.slice(0, MAX_QUOTED_CHARACTERS)}…` : actual
  if (entry.declared !== undefined)
    return `The response is not as declared for this target: ${entry.declared}; ${quoted}`
  const [, verb = '', rest = ''] = /^([a-z]+)s (.*)$/.exec(entry.title) ?? []
  // A title with a negation is not negated again, because the result would state the opposite.
  const isPlain = verb !== '' && !/^no\b|\bno more\b/.test(rest)
  const sentence = isPlain ? `The target does not ${verb} ${rest}` : `The target does not do this: ${entry.title}`
  return `${sentence}: ${quoted}`
}
