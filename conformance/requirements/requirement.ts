/**
 * Level of a requirement. It determines the result of a violation:
 * - `stated`: the specification states it, and a violation fails the target;
 * - `convention`: common clients require it, and a violation is a warning;
 * - `silent`: the behaviour is unspecified (the specification marks it as "not shown", or omits it), and is only observed. A
 *   check of the group `agents` may also pass or warn.
 */
export type Level = 'stated' | 'convention' | 'silent'

/**
 * A sentence of the specification, or a behaviour that it leaves open. A check refers to its requirement with
 * `Check.requirement`. A requirement without checks has the reason in `excluded`.
 */
export interface Requirement {
  /** Stable id, `<section>/<name>`, for the command line and documents. */
  readonly id: string
  /** Section of the specification, e.g. `4.2`. */
  readonly section: string
  readonly level: Level
  /**
   * Verbatim quote from spec.md, verified by a test. A convention quotes the sentence that leaves the behaviour open.
   */
  readonly quote: string
  /** Reason why no check tests this requirement. Undefined if a check does. */
  readonly excluded?: string
}
