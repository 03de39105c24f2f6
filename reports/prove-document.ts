import {
  boolean,
  constant,
  document,
  list,
  nonNegative,
  nullable,
  object,
  oneOf,
  optional,
  string,
  timestamp,
  type ValueOf,
} from '../common/schema/build-schema.ts'

/** A check whose actual finding differs from the finding that the mutant should cause. */
const mutantShortfall = object({
  check: string,
  why: string,
  /** The expected finding (code and parameters), or the verdict that should not change. */
  expected: string,
  /** The actual finding: verdict, text, code and parameters. */
  actual: string,
})

const mutantEntry = object({
  /** ID of the mutant in the table of mutants. */
  id: string,
  breaks: string,
  /** Checks that were expected to catch the mutant, and did so. */
  kills: list(string),
  /** Other checks whose verdict or observation the mutant changed. */
  alsoTouched: list(string),
  /** Reasons why the mutant does not count as caught. Empty if it was caught. */
  shortfalls: list(mutantShortfall),
})

/** The checks that passed against a target with meaningless responses, such as a web page for every request. */
const noEvidenceTarget = object({
  target: string,
  responds: string,
  /** Passes that a person has reviewed, each with the reason why this target conforms to the tested sentence. */
  passes: list(object({ check: string, reason: string })),
  /** Checks that passed but are missing from the reviewed list. */
  unexpected: list(string),
  /** Checks on the reviewed list that no longer pass. */
  outdated: list(string),
})

export const proveSchema = document(
  'The proof that the checks can fail',
  object({
    schemaVersion: constant(1),
    kind: constant('prove'),
    tool: object({ name: string, version: string }),
    /** Start time in ISO 8601, UTC. */
    startedAt: timestamp,
    /** Duration of the run in milliseconds. */
    durationMs: nonNegative,
    /** `interrupted`: the results so far are valid, but not all mutants ran. */
    verdict: oneOf('proven', 'not-proven', 'interrupted', 'harness-error'),
    /** Whether the whole suite ran against every mutant. */
    full: boolean,
    /** IDs of the selected mutants, or null for all mutants. */
    selection: nullable(object({ only: list(string) })),
    /** Checks that fail even without a mutant. Their failures with mutants therefore prove nothing. */
    failingWithout: list(object({ check: string, actual: string })),
    /** Checks for which the table of mutants has no mutant. */
    checksWithoutMutant: list(string),
    mutants: list(mutantEntry),
    /** All checks of the suite, each with the mutants of this run that it caught. */
    checks: list(object({ id: string, caught: list(string) })),
    /** Checks that pass against targets with meaningless responses. Absent if the run tested only selected mutants. */
    targetsWithoutEvidence: optional(list(noEvidenceTarget)),
  }),
)

/** The result of mutation testing the checks, written as `prove.json`. */
export type ProveDocument = ValueOf<typeof proveSchema>
export type ProveVerdict = ProveDocument['verdict']
export type NoEvidenceTargetResult = ValueOf<typeof noEvidenceTarget>
export type MutantEntry = ValueOf<typeof mutantEntry>
export type MutantShortfall = ValueOf<typeof mutantShortfall>
