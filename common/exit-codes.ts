/** Exit codes of all commands, by the verdict of the run or the reason for the end. */
export const EXIT_CODES = {
  conformant: 0,
  'within-budgets': 0,
  proven: 0,
  'non-conformant': 1,
  'budget-broken': 1,
  'not-proven': 1,
  regression: 1,
  usage: 2,
  incomplete: 3,
  invalid: 3,
  interrupted: 3,
  'harness-error': 4,
  /** A second signal, which ends the process without a document. */
  killed: 130,
} as const
