/** The result of mutation testing of the checks, `prove.json`. A change of shape raises `schemaVersion`. */
export interface ProveDocument {
  readonly schemaVersion: 1
  readonly kind: 'prove'
  readonly tool: { readonly name: string; readonly version: string }
  /** ISO 8601, UTC. */
  readonly startedAt: string
  /** Milliseconds. */
  readonly durationMs: number
  readonly verdict: ProveVerdict
  /** True when the whole suite ran against every mutant. */
  readonly full: boolean
  /** Ids of the selected mutants; null for all. */
  readonly selection: { readonly only: readonly string[] } | null
  /** Checks that fail without any mutant, which proves nothing about them. */
  readonly failingWithout: readonly { readonly check: string; readonly said: string }[]
  /** Checks that no mutant in the table targets. */
  readonly withoutDefect: readonly string[]
  readonly defects: readonly DefectEntry[]
  /** Checks that pass against targets with meaningless responses. Absent in a run of selected mutants, and in older documents. */
  readonly silentTargets?: readonly SilentTargetEntry[]
  /** Every check of the suite, with the mutants of this run that it caught. */
  readonly checks: readonly { readonly id: string; readonly caught: readonly string[] }[]
}

/** `interrupted`: results so far are valid, and the other mutants did not run. */
export type ProveVerdict = 'proven' | 'not-proven' | 'interrupted' | 'harness-error'

/** The checks that passed against a target whose responses show nothing, such as a web page for every request. */
export interface SilentTargetEntry {
  readonly target: string
  readonly responds: string
  /** Reviewed passes, each with the reason why this server meets the sentence. */
  readonly passes: readonly { readonly check: string; readonly reason: string }[]
  /** Passes missing from the reviewed list. */
  readonly unexpected: readonly string[]
  /** Checks on the reviewed list that did not pass. */
  readonly outdated: readonly string[]
}

/** The result of one mutant. */
export interface DefectEntry {
  /** Id of the mutant. */
  readonly defect: string
  readonly breaks: string
  /** Expected checks that caught the mutant. */
  readonly kills: readonly string[]
  /** Other checks whose verdict or observation changed. */
  readonly alsoTouched: readonly string[]
  /** Why the mutant does not count as caught; empty if it does. */
  readonly shortfalls: readonly Shortfall[]
}

/** A check whose finding in a mutant differs from the expected one. */
export interface Shortfall {
  readonly check: string
  readonly why: string
  /** Expected finding (code and parameters), or the verdict that should not change. */
  readonly expected: string
  /** Actual finding: verdict, text, code and parameters. */
  readonly said: string
}
