import { createPaint, safeText } from './terminal-text.ts'

/** Something that was written. */
export interface Place {
  /** What stands there: `Every request and answer`. */
  readonly what: string
  readonly paths: readonly string[]
}

/** The lines that end the text of a run. They name files, and so are printed when these are there. */
export function renderPlaces(places: readonly Place[], hasColor: boolean): string {
  const paint = createPaint(hasColor)
  const lines = places.map(
    ({ what, paths }) => `${paint.dim(`${what}:`)} ${paths.map((path) => safeText(path)).join(', ')}`,
  )
  return `\n${lines.join('\n')}\n`
}
