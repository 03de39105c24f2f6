/**
 * The remarks of a conformance document that have a place of their own in what people read. The suite writes them, in
 * `conformance/harness/run/`, and may not import this: the tests of the command hold its words against these.
 */

/** The questions in which a doubt ends whether the right service was tested. */
const DOUBTS: readonly string[] = ['is this the API?', 'is the base address right?']

/** Somebody ended the run before its last check. */
export const INTERRUPTED = 'The run was interrupted.'

/** Every remark on a budget begins like this. */
const ON_BUDGET = 'The budget '

/** True of a remark that asks whether the right service was tested. It leaves the verdict alone. */
export function isDoubt(remark: string): boolean {
  return DOUBTS.some((question) => remark.endsWith(question))
}

/** True of a remark that says again what the table of budgets says. */
export function isOnBudget(remark: string): boolean {
  return remark.startsWith(ON_BUDGET)
}
