import type { ConformanceDocument } from './conformance-document.ts'
import { includeGateway } from './gateway-run.ts'
import { listSeenDifferences } from './conformance-verdict.ts'

/** A check that is known to fail, or a declared difference, with the reason. */
interface KnownFailure {
  readonly id: string
  readonly reason: string
}

/**
 * Lists what a strict run with the option `--known-failing` excuses: failed checks, warnings and the declared differences
 * that checks show. Includes the gateway. The reason of a new finding is the title of its cause. Known failures keep their reason.
 */
export function listKnownFailures(document: ConformanceDocument): KnownFailure[] {
  const { checks, causes } = includeGateway(document)
  const findings = checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
  return [
    ...findings.map(({ id, knownFailure, actual }) => {
      const cause = causes.find((one) => one.checks.includes(id))
      return { id, reason: knownFailure ?? cause?.title ?? actual }
    }),
    ...listSeenDifferences(document).map(({ name, text, why }) => ({ id: name, reason: `${text}: ${why}` })),
  ]
}
