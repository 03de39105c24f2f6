import type { ConformanceDocument } from '../../../reports/conformance-document.ts'
import type { Plan } from '../../engine/plan.ts'
import type { Suite } from '../../engine/settings.ts'
import { GATEWAY_CHECKS } from './checks.ts'
import { GATEWAY_REQUIREMENTS } from './requirements.ts'

export const GATEWAY_SUITE: Suite = { requirements: GATEWAY_REQUIREMENTS, checks: GATEWAY_CHECKS }

/** Returns whether the selector of a check, or the ID of a cause, concerns the suite for gateways. */
export function isGatewaySelector(selector: string): boolean {
  return /^gateway(?:$|[/-])/.test(selector)
}

/** Sorts a plan by the order of the checks, because checks that make the upstream fail must come last. */
export function sortPlan(plan: Plan): Plan {
  const order = new Map(GATEWAY_CHECKS.map(({ id }, index) => [id, index]))
  return {
    ...plan,
    planned: plan.planned.toSorted((a, b) => (order.get(a.check.id) ?? 0) - (order.get(b.check.id) ?? 0)),
  }
}

/** Adds the results for gateways, which have a verdict of their own, to the document of a run. */
export function addGatewayResults(
  document: ConformanceDocument | undefined,
  gateway: ConformanceDocument,
  upstream: string,
): ConformanceDocument {
  const { verdict, summary, requirements, checks, causes, notPlanned, spent, durationMs, remarks, remarkFindings } =
    gateway
  const base = document ?? { ...gateway, summary: NO_RESULTS, checks: [], causes: [], notPlanned: [], requirements: [] }
  return {
    ...base,
    gateway: {
      upstream,
      verdict,
      summary,
      requirements,
      checks,
      causes,
      notPlanned,
      spent,
      durationMs,
      remarks,
      remarkFindings,
    },
  }
}

const NO_RESULTS = { pass: 0, fail: 0, declared: 0, warn: 0, observed: 0, notTestable: 0, error: 0 }
