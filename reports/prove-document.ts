/** The result of mutation testing the checks, written as `prove.json`. */
export interface ProveDocument {
  readonly schemaVersion: 1
  readonly kind: 'prove'
  readonly tool: { readonly name: string; readonly version: string }
  /** Start time in ISO 8601, UTC. */
  readonly startedAt: string
  /** Duration of the run in milliseconds. */
  readonly durationMs: number
  readonly verdict: ProveVerdict
  /** Whether the whole suite ran against every mutant. */
  readonly full: boolean
  /** IDs of the selected mutants, or null for all mutants. */
  readonly selection: { readonly only: readonly string[] } | null
  /** Checks that fail even without a mutant. Their failures with mutants therefore prove nothing. */
  readonly failingWithout: readonly { readonly check: string; readonly actual: string }[]
  /** Checks for which the table of mutants has no mutant. */
  readonly checksWithoutMutant: readonly string[]
  readonly mutants: readonly MutantEntry[]
  /** Checks that pass against targets with meaningless responses. Absent if the run tested only selected mutants. */
  readonly targetsWithoutEvidence?: readonly NoEvidenceTargetResult[]
  /** All checks of the suite, each with the mutants of this run that it caught. */
  readonly checks: readonly { readonly id: string; readonly caught: readonly string[] }[]
}

/** `interrupted`: the results so far are valid, but not all mutants ran. */
export type ProveVerdict = 'proven' | 'not-proven' | 'interrupted' | 'harness-error'

/** The checks that passed against a target with meaningless responses, such as a web page for every request. */
export interface NoEvidenceTargetResult {
  readonly target: string
  readonly responds: string
  /** Passes that a person has reviewed, each with the reason why this target conforms to the tested sentence. */
  readonly passes: readonly { readonly check: string; readonly reason: string }[]
  /** Checks that passed but are missing from the reviewed list. */
  readonly unexpected: readonly string[]
  /** Checks on the reviewed list that no longer pass. */
  readonly outdated: readonly string[]
}

export interface MutantEntry {
  /** ID of the mutant in the table of mutants. */
  readonly id: string
  readonly breaks: string
  /** Checks that were expected to catch the mutant, and did so. */
  readonly kills: readonly string[]
  /** Other checks whose verdict or observation the mutant changed. */
  readonly alsoTouched: readonly string[]
  /** Reasons why the mutant does not count as caught. Empty if it was caught. */
  readonly shortfalls: readonly MutantShortfall[]
}

/** A check whose actual finding differs from the finding that the mutant should cause. */
export interface MutantShortfall {
  readonly check: string
  readonly why: string
  /** The expected finding (code and parameters), or the verdict that should not change. */
  readonly expected: string
  /** The actual finding: verdict, text, code and parameters. */
  readonly actual: string
}
