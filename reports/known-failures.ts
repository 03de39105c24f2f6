import type { ConformanceDocument } from './conformance-document.ts'
import { includeGateway } from './gateway-run.ts'
import { listRepaired, listSeenDifferences } from './conformance-verdict.ts'

/** A check that is known to fail, or a declared difference, with the reason. */
export interface KnownFailure {
  readonly id: string
  readonly reason: string
}

/** Updates the known failures after a run: adds its findings, and removes those that were repaired. */
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
