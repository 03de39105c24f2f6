/**
 * How far a target may be blamed: `stated` fails it, `convention` warns (common clients need it, the document does not
 * say it), `silent` observes (the document says "not shown", or nothing).
 */
export type Level = 'stated' | 'convention' | 'silent'

/**
 * One sentence of the document (or one silence of it) and the checks that rest on it. The row exists before its checks;
 * a row without checks says why. The runner refuses to run when a check's requirement does not list it, or the reverse.
 */
export type Requirement = {
  /** `<section>/<name>`, stable: the address on the command line and in documents. */
  readonly id: string
  /** Section of the document, e.g. `4.2`. */
  readonly section: string
  readonly level: Level
  /** Verbatim from spec.md (a test looks it up there). A convention quotes the sentence that leaves it open. */
  readonly quote: string
} & ({ readonly checks: readonly string[] } | { readonly excluded: string })
