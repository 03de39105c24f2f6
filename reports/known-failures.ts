import type { ConformanceDocument } from './conformance-document.ts'
import { includeGateway } from './gateway-run.ts'
import { listRepaired, listSeenDifferences } from './conformance-verdict.ts'

/** A check that is known to fail, or a declared difference, with the reason. */
export interface KnownFailure {
  readonly id: string
  readonly reason: string
}

/**
 * Updates the list of known failures after a run, so that a strict run that shows the same is conformant. Adds failures,
 * warnings and the declared differences that checks show, also of the gateway. The reason of a new entry is the title of its
 * cause. Removes what was repaired, and keeps the other entries, because a run of some checks says nothing about the rest.
 * @param known the list of the run
 */
export function updateKnownFailures(document: ConformanceDocument, known: readonly KnownFailure[]): KnownFailure[] {
  const { checks, causes, gateway } = { ...includeGateway(document), gateway: document.gateway }
  const repaired = new Set([...listRepaired(document), ...(gateway === undefined ? [] : listRepaired(gateway))])
  const kept = known.filter(({ id }) => !repaired.has(id))
  const findings = checks.filter(
    ({ verdict, knownFailure }) => (verdict === 'fail' || verdict === 'warn') && knownFailure === undefined,
  )
  const differences = listSeenDifferences(document).filter(({ name }) => !kept.some(({ id }) => id === name))
  return [
    ...kept,
    ...findings.map(({ id, actual }) => ({
      id,
      reason: causes.find((one) => one.checks.includes(id))?.title ?? actual,
    })),
    ...differences.map(({ name, text, why }) => ({ id: name, reason: `${text}: ${why}` })),
  ]
}
