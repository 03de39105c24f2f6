import type { ConformanceDocument, DocumentFinding } from './conformance-document.ts'

/** A remark of a conformance document with its code. */
export interface CodedRemark {
  readonly code: string
  readonly text: string
}

const EARLY_ENDS: ReadonlyMap<string, string> = new Map([
  ['run-interrupted', 'interrupted'],
  ['time-limit-reached', 'time limit reached'],
  ['target-died', 'the target stopped responding'],
  ['target-blocked', 'the target blocked the suite'],
  ['funded-key-lost', 'the target rejects the key'],
])

const BUDGET_CODES: readonly string[] = ['budget-broken', 'budget-without-samples']

export function listCodedRemarks({ remarks, remarkFindings }: ConformanceDocument): CodedRemark[] {
  return remarkFindings.map(({ code }, index) => ({ code, text: remarks[index] ?? '' }))
}

/** Returns why a run ended before its last check, such as `time limit reached`. Empty for a complete run. */
export function findEarlyEnds({ remarkFindings }: ConformanceDocument): string[] {
  return remarkFindings.flatMap(({ code }) => EARLY_ENDS.get(code) ?? [])
}

/** Returns whether reports show a remark first, such as that the target stopped responding. */
export function isHeadlineRemark({ code }: CodedRemark): boolean {
  return HEADLINE_CODES.includes(code)
}

const HEADLINE_CODES: readonly string[] = [
  'model-rejected',
  'other-service',
  'own-models',
  'additional-models',
  'stream-usage-missing',
  'requests-rate-limited',
  'target-died',
  'target-blocked',
  'funded-key-lost',
]

export function listHeadlineRemarks(document: ConformanceDocument): CodedRemark[] {
  return listCodedRemarks(document).filter(isHeadlineRemark)
}

/** Returns whether the table of budgets already shows the content of a remark. */
export function isBudgetRemark({ code }: CodedRemark): boolean {
  return BUDGET_CODES.includes(code)
}

/** Returns the remark that the target looks like a different service, or undefined if there is none. */
export function findServiceHint({ remarkFindings }: ConformanceDocument): DocumentFinding | undefined {
  return remarkFindings.find(({ code }) => code === 'other-service')
}
