import { createPaint, escapeText } from './terminal-text.ts'

/** A file that was written. */
export interface WrittenFile {
  /** Contents of the file: `Every request and response`. */
  readonly what: string
  readonly paths: readonly string[]
}

/** Renders the last lines of a report, which name the written files. */
export function renderWrittenFiles(places: readonly WrittenFile[], hasColor: boolean): string {
  const paint = createPaint(hasColor)
  const lines = places.map(
    ({ what, paths }) => `${paint.dim(`${what}:`)} ${paths.map((path) => escapeText(path)).join(', ')}`,
  )
  return `\n${lines.join('\n')}\n`
}
