import { createPaint, safeText } from './terminal-text.ts'

/** A file that was written. */
export interface Place {
  /** Contents of the file: `Every request and response`. */
  readonly what: string
  readonly paths: readonly string[]
}

/** Renders the last lines of a report, which name the written files. */
export function renderPlaces(places: readonly Place[], hasColor: boolean): string {
  const paint = createPaint(hasColor)
  const lines = places.map(
    ({ what, paths }) => `${paint.dim(`${what}:`)} ${paths.map((path) => safeText(path)).join(', ')}`,
  )
  return `\n${lines.join('\n')}\n`
}
