/**
 * Level of a requirement, which determines the result of a violation:
 * - `stated`: the specification states the requirement, and a violation fails the check;
 * - `convention`: common clients require the behaviour, and a violation is a warning;
 * - `unspecified`: the specification leaves the behaviour open, and the check only observes it. A check of the group
 *   `agents` may also pass or warn.
 */
export type RequirementLevel = 'stated' | 'convention' | 'unspecified'

/** A sentence of the specification, or a behaviour that it leaves open. Checks name it in `requirement`. */
export interface Requirement {
  /** Stable ID for the command line and documents: `<section>/<name>`. */
  readonly id: string
  /** Section of the specification, e.g. `4.2`, or `gateway` for a sentence of gateway.md. */
  readonly section: string
  readonly level: RequirementLevel
  /** Verbatim quote from spec.md or gateway.md. For a convention, the sentence that leaves it open. */
  readonly quote: string
  /** Reason why no check tests this requirement. Undefined if a check tests it. */
  readonly excluded?: string
}

/** A requirement as the rooms of the sections list it. The section is the first part of its ID. */
export type RequirementRow = Omit<Requirement, 'section'>
