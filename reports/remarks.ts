/**
 * The remarks of a conformance document that have a place of their own in what people read. The suite writes them, in
 * `conformance/engine/`, and may not import this: the tests of the command hold its words against these.
 */

/** The questions in which a doubt ends whether the right service was tested. */
const TARGET_QUESTIONS: readonly string[] = ['is this the API?', 'is the base address right?']

/** What ended a run before its last check, by the word that stands beside the verdict. */
const EARLY_END_BY_REMARK: ReadonlyMap<string, string> = new Map([
  ['The run was interrupted.', 'interrupted'],
  ['The time for this run was used up: give it longer with --max-seconds.', 'time used up'],
])

/** Every remark on a budget begins like this. */
const BUDGET_REMARK_START = 'The budget '

/** `interrupted` or `time used up`, where a run ended before its last check. */
export function findEarlyEnds(remarks: readonly string[]): string[] {
  return remarks.flatMap((remark) => EARLY_END_BY_REMARK.get(remark) ?? [])
}

/** True of a remark that asks whether the right service was tested. It leaves the verdict alone. */
export function isTargetQuestion(remark: string): boolean {
  return TARGET_QUESTIONS.some((question) => remark.endsWith(question))
}

/** True of a remark that says again what the table of budgets says. */
export function isBudgetRemark(remark: string): boolean {
  return remark.startsWith(BUDGET_REMARK_START)
}
