/**
 * Recognizes the remarks of a conformance document that reports show in a place of their own. The suite (`conformance/engine/`)
 * writes them and may not import this file; the tests of the command compare both.
 */

/** Ends of the remarks that ask whether the run tested the right service. */
const TARGET_QUESTIONS: readonly string[] = ['is this the API?', 'is the base address right?']

/** Remarks on a run that ended early, with the words shown next to the verdict. */
const EARLY_END_BY_REMARK: ReadonlyMap<string, string> = new Map([
  ['The run was interrupted.', 'interrupted'],
  ['The time for this run was used up: give it longer with --max-seconds.', 'time used up'],
])

/** Start of every remark on a budget. */
const BUDGET_REMARK_START = 'The budget '

/** Returns `interrupted` or `time used up` for a run that ended before its last check. */
export function findEarlyEnds(remarks: readonly string[]): string[] {
  return remarks.flatMap((remark) => EARLY_END_BY_REMARK.get(remark) ?? [])
}

/** True for a remark that asks whether the run tested the right service. Such a remark does not affect the verdict. */
export function isTargetQuestion(remark: string): boolean {
  return TARGET_QUESTIONS.some((question) => remark.endsWith(question))
}

/** True for a remark that repeats the table of budgets. */
export function isBudgetRemark(remark: string): boolean {
  return remark.startsWith(BUDGET_REMARK_START)
}
