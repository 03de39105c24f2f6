import { type Operation, OPERATIONS } from '../../../../contract/facts.ts'
import type { CheckEntry } from '../../../../reports/conformance-document.ts'
import type { Outcome } from '../../outcome.ts'
import { findCauses } from '../find-causes.ts'
import type { CheckFinding } from '../finding.ts'

let number = 0

/** Creates a finding with a unique ID. `body` and `status` are those of the last response. */
export function createFinding(
  operation: Operation,
  outcome: Outcome,
  changes: Partial<CheckEntry> & { body?: string; status?: number } = {},
): CheckFinding {
  number += 1
  const { body, status = 'actualStatus' in outcome.params ? outcome.params.actualStatus : 200, ...others } = changes
  const response = { status, headers: {}, body: body ?? '{}' }
  const { method, path } = OPERATIONS[operation]
  const request = { method, url: `http://x${path}`, headers: {}, body: '' }
  const entry: CheckEntry = {
    id: `1/check-${number}`,
    requirement: '1/requirement',
    section: '1',
    level: 'stated',
    title: `returns what check ${number} expects`,
    verdict: outcome.verdict,
    code: outcome.code,
    params: {},
    expected: [],
    actual: 'something else',
    durationMs: 1,
    evidence: [{ startedAtMs: 0, request, response, truncated: false }],
    ...others,
  }
  return { entry, operation, outcome }
}

/** Creates the finding of a check that passed because the target served its request to the operation. */
export const createServedFinding = (operation: Operation): CheckFinding =>
  createFinding(operation, { verdict: 'pass', code: 'as-expected', params: {}, expected: { rule: 'usage' } })

/** Returns the titles of the causes of the findings, in their order, each with its number of checks. */
export const summarizeCauses = (findings: readonly CheckFinding[]): string[] =>
  findCauses(findings).map(({ title, checks }) => `${title}: ${checks.length}`)
