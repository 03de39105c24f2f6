import type { ConformanceDocument } from './conformance-document.ts'

/** A check that is known to fail, with the reason. */
interface KnownFailure {
  readonly id: string
  readonly reason: string
}

/**
 * Lists the failed checks of a run for the option `--known-failing`. The reason of a new failure is the title of its
 * cause. Failures that are known already keep their reason.
 */
export function listKnownFailures({ checks, causes }: ConformanceDocument): KnownFailure[] {
  return checks
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ id, knownFailure, actual }) => {
      const cause = causes.find((one) => one.checks.includes(id))
      return { id, reason: knownFailure ?? cause?.title ?? actual }
    })
}
