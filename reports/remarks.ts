import type { ConformanceDocument, DocumentFinding } from './conformance-document.ts'

/** A remark of a conformance document with its code; undefined in documents before version 1.1. */
export interface CodedRemark {
  readonly code: string | undefined
  readonly text: string
}

const EARLY_ENDS: ReadonlyMap<string, string> = new Map([
  ['run-interrupted', 'interrupted'],
  ['time-limit-reached', 'time limit reached'],
  ['target-died', 'the target stopped responding'],
])

const BUDGET_CODES: readonly string[] = ['budget-broken', 'budget-without-samples']

/** Pairs the remarks of a document with their codes. */
export function listCodedRemarks({ remarks = [], remarkFindings = [] }: ConformanceDocument): CodedRemark[] {
  return remarks.map((text, index) => ({ code: remarkFindings[index]?.code, text }))
}

/** Returns how it ended, e.g. `interrupted`, for a run that ended before its last check. */
export function findEarlyEnds({ remarkFindings = [] }: ConformanceDocument): string[] {
  return remarkFindings.flatMap(({ code }) => EARLY_ENDS.get(code) ?? [])
}

/** True for a remark that belongs above all others: a hint at another service, own models, a target that died. */
export function isHeadlineRemark({ code }: CodedRemark): boolean {
  return code === 'other-service' || code === 'own-models' || code === 'target-died'
}

/** Lists the remarks that belong above all others. */
export function listHeadlineRemarks(document: ConformanceDocument): CodedRemark[] {
  return listCodedRemarks(document).filter(isHeadlineRemark)
}

/** True for a remark that repeats the table of budgets. */
export function isBudgetRemark({ code }: CodedRemark): boolean {
  return code !== undefined && BUDGET_CODES.includes(code)
}

/** Returns the hint of a document that its target looks like another service; undefined if there is none. */
export function findServiceHint({ remarkFindings = [] }: ConformanceDocument): DocumentFinding | undefined {
  return remarkFindings.find(({ code }) => code === 'other-service')
}
