/** The result of a proof that the checks can fail, `prove.json`. A change of shape raises `schemaVersion`. */
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
  /** The mutants that were chosen; null for all of them. */
  readonly selection: { readonly only: readonly string[] } | null
  /** Checks that fail without any mutant: nothing can be proven of them. */
  readonly failingWithout: readonly { readonly check: string; readonly said: string }[]
  /** Checks that no mutant of the whole table is meant for. */
  readonly withoutDefect: readonly string[]
  readonly defects: readonly DefectEntry[]
  /** Every check of the suite, with the mutants of this run that it caught. */
  readonly checks: readonly { readonly id: string; readonly caught: readonly string[] }[]
}

/** `interrupted`: what was proven until then stands, the rest was not tried. */
export type ProveVerdict = 'proven' | 'not-proven' | 'interrupted' | 'harness-error'

/** What the proof found about one mutant. */
export interface DefectEntry {
  /** Id of the mutant. */
  readonly defect: string
  readonly breaks: string
  /** Checks that caught it, as they should. */
  readonly kills: readonly string[]
  /** Other checks that turned, or that observed something else. */
  readonly alsoTouched: readonly string[]
  /** Why it does not count as caught; empty when it does. */
  readonly shortfalls: readonly Shortfall[]
}

/** A check that did not find in a mutant what the table of mutants says. */
export interface Shortfall {
  readonly check: string
  readonly why: string
  /** What it should have found (code and parameters), or the verdict that it should have kept. */
  readonly expected: string
  /** What it found: verdict, text, code and parameters. */
  readonly said: string
}
