/**
 * Consequence of a violation: `stated` fails the target, `convention` warns (common clients need it, the document does not
 * say it), `silent` is unspecified behaviour (the document says "not shown", or nothing) and is only observed.
 */
export type Level = 'stated' | 'convention' | 'silent'

/**
 * One sentence of the document, or one behaviour that it leaves open. A check names its requirement
 * (`Check.requirement`); the requirement does not list its checks. A requirement without checks gives the reason in
 * `excluded`.
 */
export interface Requirement {
  /** `<section>/<name>`, stable: used on the command line and in documents. */
  readonly id: string
  /** Section of the document, e.g. `4.2`. */
  readonly section: string
  readonly level: Level
  /** Verbatim from spec.md, which a test verifies. A convention quotes the sentence that leaves it open. */
  readonly quote: string
  /** Why no check tests this requirement; undefined if checks do. */
  readonly excluded?: string
}
