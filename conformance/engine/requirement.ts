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

/** Creates requirements of a level. The section of a requirement is the first part of its ID. */
function ofLevel(level: RequirementLevel): (id: string, quote: string, excluded?: string) => Requirement {
  return (id, quote, excluded) => {
    const row = { id, section: id.split('/')[0] ?? '', level, quote }
    return excluded === undefined ? row : { ...row, excluded }
  }
}

export const stated = ofLevel('stated')
export const convention = ofLevel('convention')
export const unspecified = ofLevel('unspecified')
