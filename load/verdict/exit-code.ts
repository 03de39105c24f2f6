import type { LoadVerdict } from '../../reports/load-document.ts'

/** What the command ends with (2 is wrong usage, which leaves no document). */
export const EXIT_CODES: Readonly<Record<LoadVerdict, number>> = {
  'within-budgets': 0,
  'budget-broken': 1,
  incomplete: 3,
  invalid: 3,
  'harness-error': 4,
}
